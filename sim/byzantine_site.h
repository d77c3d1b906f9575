// A lying site: a real core whose messages are dropped, altered or added to. It sends impossible
// verdicts, starts that were not allowed, feeds with gaps or other histories, false capacities,
// holds that nobody ordered, answers about other sites' holds, floods, silence, and bytes that are
// no message. protocol.md sections 10 (G8) and 12.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "schemas/site_link.h"

namespace muster::sim {

class ByzantineSite {
 public:
  explicit ByzantineSite(uint64_t seed) : random_(seed) {}

  // Remembers the floor of a message that the site received, so that invented fences are plausible.
  void Hears(const schemas::ToSite& message);
  // The messages, encoded, that the site sends instead of `honest`, in order; empty while it is
  // silent.
  std::vector<std::string> Instead(const schemas::ToMeta& honest, BootInstant now);

  uint64_t lies() const { return lies_; }

 private:
  bool Alter(schemas::ToMeta& message);
  schemas::ToMeta Invent(const schemas::ToMeta& honest);
  void Twist(schemas::Capacity& capacity);
  void Twist(schemas::Verdict& verdict);
  void Twist(schemas::Change& change);
  void Twist(schemas::Report& report);
  void Twist(schemas::Listing& listing);
  void Twist(schemas::Answers& answers);
  Fence SomeFence();
  Instant SomeInstant();
  int64_t SomeAmount();

  Random random_;
  Fence floor_{{1}, 1};
  BootInstant silent_until_;
  uint64_t lies_ = 0;
};

}  // namespace muster::sim
