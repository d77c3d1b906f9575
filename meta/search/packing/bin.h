// One site as packing sees it: amounts that are free over time, and nothing else. One usage vector
// with its frontier per resource: bookings are only ever added, so what a search once ruled out
// stays ruled out. scheduling.md sections 1 ("one bin per site": A_s(t), all that is booked is
// fixed terrain) and 5 (Forward run: the flat vector with its frontier table).
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

  // What the shadow leaves free from `now` on. `turnover` lies before every booking (protocol.md
  // section 4). A shadow that knows nothing of its site has room for nothing.
  Bin(std::string name, const partitioner::Shadow& shadow, Instant now, Span turnover);
  // An empty machine with `total` of everything.
  Bin(std::string name, const ResourceSet& total, Instant now, Span turnover = {});

  const std::string& name() const { return name_; }
  // Time goes on: nothing fits before `now` any more. REQUIRES: it does not go back.
  void GoTo(Instant now) {
    now_ = now;
    load_.reset();
  }
  Span turnover() const { return turnover_; }
  // None: it has no such resource.
  std::optional<Need> NeedOf(const ResourceSet& amounts) const;

  // Earliest t >= from with `need` free over [t - turnover, t + length); none if never.
  // REQUIRES length > 0, here and below.
  std::optional<Instant> EarliestFit(const Need& need, Instant from, Span length) const;
  bool Fits(const Need& need, Instant at, Span length) const;
  // Books that span. It may be booked beyond what is free: then nothing more fits there.
  void Take(const Need& need, Instant start, Span length);

  // The same of amounts by name.
  std::optional<Instant> EarliestFit(const ResourceSet& amounts, Instant from, Span length) const;
  void Take(const ResourceSet& amounts, Instant start, Span length);
  // Books from `begin` to `end` and nothing before: the turnover of what is there is within.
  void Occupy(const ResourceSet& amounts, Instant begin, Instant end);

  // The share of the scarcest resource that is taken within a day from now: as Shadow::Load.
  double Load() const;

  // What is free of a resource in [begin, end).
  Stretch StretchOf(size_t resource, Instant begin, Instant end) const;

 private:
  std::string name_;
  Instant now_;
  Span turnover_;
  bool known_ = true;
  std::vector<std::string> names_;            // ascending
  std::vector<rusv::RusvWithFrontier> used_;  // by index of names_
  std::vector<int64_t> total_;                // of everything that is up
  mutable std::optional<double> load_;        // since the last change
};

}  // namespace muster::packing
