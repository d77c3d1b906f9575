// What-ifs and recalls on live daemons: a meta and its sites in processes of their own, clients on
// loopback. Each ends the benchmark with a message if the daemons do otherwise than is measured.
#pragma once

namespace muster::bench {

// Seconds from the question of an operator, what a drain of a node would do, to its answer, with
// 10,000 promised jobs at three sites.
double WhatIfSeconds();
// Milliseconds of the longest answer of the meta to `muster sites` meanwhile, less the longest in
// three seconds before: it answers within a turn.
double WhatIfStall();

// Milliseconds from the recall of a part to when it is off its nodes, p99 of 100 parts on lent room
// that end at once by TERM: as the daemons record both.
double RecallToClean();

}  // namespace muster::bench
