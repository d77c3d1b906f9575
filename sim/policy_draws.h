// What a campaign with policies draws: points and shares of the meta and of sites, accounts and
// qualities of service, and under which of them requests ask.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "meta/options.h"
#include "sim/workload.h"
#include "site/options.h"

namespace muster::sim {

// Every factor counts, some against the order of arrival, and time passes fast: a wait of a minute
// is long here.
policy::PointsRules DrawPoints(Random& random);
// A site's own order, and its own shares, each in most of the runs.
void DrawSiteTables(Random& random, site::Options& site);
// Windows of a minute to an hour, so that many roll over in one run. `dated`: with a ceiling that
// dates new work, in half of the runs.
policy::FairshareRules DrawShares(Random& random, Random& dated);
// Two accounts, an urgent QoS, one that is promised at submission, and one that is promised at its
// start.
policy::CredentialRules DrawCredentials(Random& random);
// A rate for processors, multiples for QoS and sites, and overdrafts. Work of an hour costs some
// credits; accounts begin with nothing.
void DrawBank(Random& random, meta::Options& options);
// In half of the runs kim and ana have homes, mostly different ones.
void DrawHomes(uint64_t seed, meta::Options& options);
// A limit over all sites on what an account or each user runs, and one on promised jobs. None
// forbids a request of the campaigns alone.
void DrawLimits(Random& random, meta::Options& options);
// Half of the requests name an account or a QoS that everybody has.
void NameCredentials(std::vector<PlannedRequest>& plan, Random& random);
// Work of most QoS may be recalled, under terms of a few seconds.
void DrawRecall(Random& random, policy::CredentialRules& rules);
// Suspends most of those that are recalled and have a start to go on by.
void DrawSuspends(Random& random, policy::CredentialRules& rules);
// The same, and most sites lend room to it, or to work of one QoS.
void DrawLoans(Random& random, meta::Options& options, std::vector<site::Options>& sites);
// Some sites lend, rather than promise, beyond their balance.
void DrawBeyondBalance(Random& random, std::vector<site::Options>& sites);
// At some sites lent work is recalled for some alone, and others wait for it.
void DrawWhoWaits(Random& random, std::vector<site::Options>& sites);
// A limit for one account and one for each QoS; none forbids a request of the campaigns alone.
void AddCredentialRules(site::Options& site);

}  // namespace muster::sim
