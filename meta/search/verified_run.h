// The verified forward run: the frozen order of those who wait, block by block as a forecast run
// laid it out, is asked of the sites in tentative proposals, each continuing the one before, so
// that every waiting request's bound is one that real plans gave. Parts on several sites tell the
// starts they could have; what these have in common is asked for in the next round, until all of
// their sites gave it. A run asks a site a tenth of the time; where a plan changes it ends early,
// and what was verified until then counts. scheduling.md sections 3 and 5 (Accuracy), CCS
// Sect. 4.2.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "schemas/site_link.h"

namespace muster::meta {

struct SearchLayer;
struct Turn;

// Entries of one tentative proposal: some milliseconds of a site's time.
inline constexpr size_t kVerifiedEntries = 128;

// Where a forecast run laid out one who waits.
struct LaidOut {
  RequestId request;
  std::vector<std::string> part_sites;
  Instant start;  // by the shadows
  Instant asked;  // when its block will be extracted, or its gap be found: nothing starts before
};

struct VerifiedRun {
  // Whom a site is asked about, in order: places in laid_out.
  struct AtSite {
    std::vector<size_t> order;
    size_t next = 0;                 // those before are answered
    std::vector<size_t> out;         // asked and not answered
    std::optional<ProposalId> last;  // what the next proposal continues
    PlanRevision plan;               // that answered
    BootInstant asked;
    BootInstant not_before;  // of the next proposal
    bool ended = false;
  };
  uint64_t owner = 0;
  uint64_t block = 0;  // the last one when the run began
  std::vector<LaidOut> laid_out;
  struct Found {
    Instant start;          // that it is asked for, and then that its sites gave
    bool verified = false;  // all of them gave that one
    // Parts on several sites: not before that, of these, and what the sites said in this round.
    Instant not_before;
    IntervalSet allowed;
    std::map<std::string, schemas::VerdictEntry> heard;
  };
  std::vector<Found> found;  // as laid_out
  std::map<std::string, AtSite> sites;
  int rounds = 1;
  bool broken = false;  // some site has not answered to the end
  bool over = false;
};

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
