// A site that lies: a real core behind a mouth that says something else. It takes what the core
// would have sent and leaves it out, alters it, or adds to it: verdicts that cannot be, starts that
// were not allowed, feeds with gaps and other histories, capacities nobody has, holds nobody asked
// for, answers about the holds of others, floods, silence and bytes that are no message.
// protocol.md sections 10 (G8) and 12.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "schemas/site_link.h"

namespace muster::sim {

class Liar {
 public:
  explicit Liar(uint64_t seed) : random_(seed) {}

  // What it has heard: epochs and fences make better lies.
  void Hears(const schemas::ToSite& message);
  // The bytes it sends instead of this message, in order; none: it is silent.
  std::vector<std::string> Instead(const schemas::ToMeta& honest, BootInstant now);
  // No more lies from now on: what is said is what is so.
  void Repent() { honest_ = true; }

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
  bool honest_ = false;
  uint64_t lies_ = 0;
};

}  // namespace muster::sim
