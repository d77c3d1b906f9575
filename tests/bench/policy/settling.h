// How fast a meta settles what ended parts used: charged, encoded and durable.
#pragma once

namespace muster::bench {

// Final usages a second, in batches as large as a report may be.
double SettledPerSecond();
// The same batches with what a meta without a bank writes of them.
double StoredPerSecond();

}  // namespace muster::bench
