// One site as packing sees it: amounts that are free over time, and nothing else. A step function
// in one flat vector; bookings are only ever added, so what a search once ruled out stays ruled
// out. scheduling.md section 1 ("one bin per site": A_s(t), all that is booked is fixed terrain).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/resources.h"
#include "base/time.h"
#include "partitioner/shadow.h"

namespace muster::packing {

class Bin {
 public:
  // What the shadow leaves free from `now` on. `turnover` lies before every booking (protocol.md
  // section 4). A shadow that knows nothing of its site has room for nothing.
  Bin(std::string name, const partitioner::Shadow& shadow, Instant now, Span turnover);
  // An empty machine with `total` of everything.
  Bin(std::string name, const ResourceSet& total, Instant now);

  const std::string& name() const { return name_; }

  // Earliest t >= from with `amounts` free over [t - turnover, t + length); none if never.
  std::optional<Instant> EarliestFit(const ResourceSet& amounts, Instant from, Span length) const;
  // Books that span. It may be booked beyond what is free: then nothing more fits there.
  void Take(const ResourceSet& amounts, Instant start, Span length);

 private:
  using Amounts = std::vector<int64_t>;  // by index of names_
  struct Step {
    Instant from;
    Amounts free;
  };
  struct Searched {  // nothing fits in [from, found)
    Instant from;
    Instant found;
  };

  std::optional<Amounts> Indexed(const ResourceSet& set) const;
  size_t StepAt(Instant t) const;
  size_t Split(Instant at);

  std::string name_;
  Span turnover_;
  std::vector<std::string> names_;  // ascending
  std::vector<Step> steps_;         // ascending; the first is from now, the last lasts for ever
  mutable std::map<std::pair<Amounts, Span>, Searched> searched_;  // the frontier of each shape
};

}  // namespace muster::packing
