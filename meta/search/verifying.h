// The verified forward run. It asks the sites about the waiting requests in the order in which a
// forecast run laid them out, block by block, in tentative proposals that each continue the one
// before. So each bound rests on the sites' real plans. For parts on several sites the sites return
// all feasible starts; the common start is asked for in the next round, until all sites give it. A
// run uses a tenth of a site's time. If a plan changes the run ends early, and what was verified
// until then counts. scheduling.md sections 3 and 5 (Accuracy), CCS Sect. 4.2.
#pragma once

#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/search/verified_run.h"
#include "meta/turn/turn.h"
#include "schemas/site_link.h"

namespace muster::meta {

// Entries of one tentative proposal: some milliseconds of a site's time.
inline constexpr size_t kVerifiedEntries = 128;

// The proposal entries at one site for the first kVerifiedEntries requests laid out there. Parts on
// several sites are asked for at their laid-out start, others at the first allowed one. Requests
// that have a place by now are left out.
std::vector<schemas::ProposalEntry> EntriesOf(const SearchLayer& f, const Turn& t,
                                              const std::vector<LaidOut>& laid_out,
                                              const std::string& site);
// Begins a run about these requests, in this order. REQUIRES: no run in progress.
void BeginVerifying(SearchLayer& f, std::vector<LaidOut> laid_out);
// Sends the proposals that are due.
void GoOnVerifying(SearchLayer& f, Turn& t);
bool VerifyingIsDone(const SearchLayer& f);

// Takes a site's answer to the run; null if the site did not answer. False if the question was not
// of this run.
bool TakeVerified(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
                  const schemas::Verdict* verdict);
// Ends the run at a site that is gone or sent an invalid answer.
void EndVerifyingAt(SearchLayer& f, const std::string& site);

}  // namespace muster::meta
