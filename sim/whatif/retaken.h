// A record of the past weeks that is taken again: what was submitted, at its time and by its user,
// and how long it ran. Maui Sect. III (Simulation): a trace of the site's own workload.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/client.h"
#include "sim/whatif/past_runs.h"

namespace muster::sim {

// What left no trace of how it came is left out: elements come with their array, occurrences with
// their reservation. A job that was cancelled before it ran is cancelled at that time; one that was
// altered comes as it was in the end.
class Retaken {
 public:
  struct Said {
    std::string user;
    schemas::ClientMessage message;
  };

  // Of the requests that came between both instants. `past` outlives it.
  Retaken(const PastRuns& past, Instant from, Instant until);

  // When the next message is due; none if all were taken.
  std::optional<Moment> Next() const;
  // Takes the messages that are due, in order.
  std::vector<Said> TakeDue(Moment now);
  // The meta has this request on record: whether it is one of ours, and under which number.
  void Took(const schemas::RequestRecord& request);

  // The number that a request of the run had in the record; none if it is not from there.
  std::optional<RequestId> Before(RequestId now) const;
  // How long a part of a request of the record ran; none if that is not known.
  std::optional<Span> Ran(RequestId before, uint32_t part) const;

  size_t submissions() const { return submissions_; }

 private:
  struct Due {
    Moment at;
    RequestId before;
    bool cancel = false;
    auto operator<=>(const Due&) const = default;
  };
  std::optional<Said> SaidOf(const Due& due) const;

  const PastRuns& past_;
  std::set<Due> due_;
  std::map<RequestId, RequestId> before_;  // by the number now; of jobs, not of elements
  std::map<RequestId, RequestId> now_;     // the other way
  size_t submissions_ = 0;
};

}  // namespace muster::sim
