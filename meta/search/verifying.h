// The verified forward run: the frozen order of those who wait, block by block as a forecast run
// laid it out, is asked of the sites in tentative proposals, each continuing the one before, so
// that every waiting request's bound is one that real plans gave. Parts on several sites tell the
// starts they could have; what these have in common is asked for in the next round, until all of
// their sites gave it. A run asks a site a tenth of the time; where a plan changes it ends early,
// and what was verified until then counts. scheduling.md sections 3 and 5 (Accuracy), CCS
// Sect. 4.2.
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

// The entries at one site of those who wait there, each at the start it is laid out at; at most
// kVerifiedEntries, those laid out first. Who has a place by now is left out.
std::vector<schemas::ProposalEntry> EntriesOf(const SearchLayer& f, const Turn& t,
                                              const std::vector<LaidOut>& laid_out,
                                              const std::string& site);
// Begins a run about these, in this order. REQUIRES: none is under way.
void BeginVerifying(SearchLayer& f, std::vector<LaidOut> laid_out);
// Asks on where it is time to.
void GoOnVerifying(SearchLayer& f, Turn& t);
bool VerifyingIsDone(const SearchLayer& f);

// What a site said to it, null if nothing; false if the owner of that question is another.
bool TakeVerified(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
                  const schemas::Verdict* verdict);
// The site said nonsense, or is gone.
void EndVerifyingAt(SearchLayer& f, const std::string& site);

}  // namespace muster::meta
