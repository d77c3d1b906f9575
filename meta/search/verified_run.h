// State of a verified forward run (meta/search/verifying.h): waiting requests as a forecast run
// laid them out, and what each site has confirmed.
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

// The place at which a forecast run laid out a waiting request.
struct LaidOut {
  RequestId request;
  std::vector<std::string> part_sites;
  Instant start;  // by the shadows
  Instant asked;  // when its block is extracted or its gap is found; it starts no earlier
};

struct VerifiedRun {
  // The requests a site is asked about, as indices into laid_out, in order.
  struct AtSite {
    std::vector<size_t> order;
    size_t next = 0;                 // those before this one are answered
    std::vector<size_t> out;         // asked and not answered
    std::optional<ProposalId> last;  // the proposal that the next one continues
    PlanRevision plan;               // revision of the site's answers
    BootInstant asked;
    BootInstant not_before;  // earliest time of the next proposal
    bool ended = false;
  };
  uint64_t owner = 0;
  uint64_t block = 0;  // last extracted block when the run began
  std::vector<LaidOut> laid_out;
  struct Found {
    Instant start;          // the asked start, later the confirmed one
    bool verified = false;  // all its sites gave this start
    // For parts on several sites: earliest and allowed starts, and this round's verdicts.
    Instant not_before;
    IntervalSet allowed;
    std::map<std::string, schemas::VerdictEntry> heard;
  };
  std::vector<Found> found;  // by index of laid_out
  std::map<std::string, AtSite> sites;
  int rounds = 1;
  bool broken = false;  // a site did not answer to the end
  bool over = false;
};

}  // namespace muster::meta
