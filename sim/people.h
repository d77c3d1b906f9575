// What people do while a federation works, drawn by seed: operators drain nodes and put them back,
// owners and operators alter what waits, what is promised and what runs. They look at the meta's
// records first, as one looks at `muster queue`, so they may be late with what they say.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "sim/world.h"

namespace muster::sim {

class People {
 public:
  explicit People(uint64_t seed) : random_(seed) {}

  // In `of_thousand` of 1,000 cases.
  bool Act(uint32_t of_thousand) { return random_.Chance(of_thousand); }
  // One node: hard, soft, or back in use.
  void DrainOrResume(World& world);
  // Every node, so that all that waits may come to its end.
  void ResumeAll(World& world);
  // One request: more or less time, other chunks, other bounds, another ACL; of what runs, more
  // time and other counts, now and then more than is allowed.
  void Alter(World& world);
  // One job of a site's own users, by its owner, likewise.
  void AlterAtSite(World& world);

 private:
  void Say(World& world, const std::string& user, schemas::Act act);
  schemas::Alteration ChangeOfRunning(const schemas::RequestSpec& spec);
  schemas::Alteration ChangeOfWaiting(const schemas::RequestSpec& spec, Instant now);

  Random random_;
  uint64_t said_ = uint64_t{1} << 32;  // numbers that no planned message has
};

}  // namespace muster::sim
