// The state of a verified forward run (meta/search/verifying.h): the waiting requests as a forecast
// run laid them out, and what each site has confirmed of them so far.
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

}  // namespace muster::meta
