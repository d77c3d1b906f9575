// One site as packing sees it: free amounts over time. It keeps one usage vector with its frontier
// per resource. Bookings are only added, so a start that was ruled out once stays ruled out.
// scheduling.md sections 1 ("one bin per site": A_s(t), all that is booked is fixed terrain) and 5
// (Forward run: the flat vector with its frontier table).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/resources.h"
#include "base/time.h"
#include "meta/search/packing/stretch.h"
#include "partitioner/shadow.h"
#include "site/rusv/frontier.h"

namespace muster::packing {

class Bin {
 public:
  // Amounts above 0 by index of the bin's resources, ascending.
  using Need = absl::InlinedVector<std::pair<size_t, int64_t>, 4>;

  // The free amounts of a shadow from `now` on. Each booking begins with `turnover` (protocol.md
  // section 4). If the shadow knows nothing of its site, nothing fits.
  Bin(std::string name, const partitioner::Shadow& shadow, Instant now, Span turnover);
  // An empty machine with `total` of everything.
  Bin(std::string name, const ResourceSet& total, Instant now, Span turnover = {});

  const std::string& name() const { return name_; }
  // Advances time: nothing fits before `now`. REQUIRES: `now` does not decrease.
  void GoTo(Instant now) {
    now_ = now;
    load_.reset();
  }
  Span turnover() const { return turnover_; }
  // None if the bin lacks one of the resources.
  std::optional<Need> NeedOf(const ResourceSet& amounts) const;

  // Earliest t >= from with `need` free over [t - turnover, t + length); none if there is none.
  // REQUIRES length > 0, here and below.
  std::optional<Instant> EarliestFit(const Need& need, Instant from, Span length) const;
  bool Fits(const Need& need, Instant at, Span length) const;
  // Books that span. More may be booked than is free; then nothing else fits there.
  void Take(const Need& need, Instant start, Span length);

  // The same for amounts by name.
  std::optional<Instant> EarliestFit(const ResourceSet& amounts, Instant from, Span length) const;
  void Take(const ResourceSet& amounts, Instant start, Span length);
  // Books exactly [begin, end), for a booking whose turnover is already included.
  void Occupy(const ResourceSet& amounts, Instant begin, Instant end);

  // Booked share of the scarcest resource over the next day, as Shadow::Load.
  double Load() const;

  // Free amount of a resource over [begin, end).
  Stretch StretchOf(size_t resource, Instant begin, Instant end) const;

 private:
  std::string name_;
  Instant now_;
  Span turnover_;
  bool known_ = true;
  std::vector<std::string> names_;            // ascending
  std::vector<rusv::RusvWithFrontier> used_;  // by index of names_
  std::vector<int64_t> total_;                // of all nodes that are up
  mutable std::optional<double> load_;        // cached until the next change
};

}  // namespace muster::packing
