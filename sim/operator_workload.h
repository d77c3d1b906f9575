// Random acts of people on a running federation: operators drain and resume nodes, owners and
// operators alter waiting, promised and running jobs. A job to alter is chosen from the current
// records of the meta or the site, as if after `muster queue`, so the alteration may be outdated
// when it arrives.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "sim/world.h"

namespace muster::sim {

class OperatorWorkload {
 public:
  explicit OperatorWorkload(uint64_t seed) : random_(seed) {}

  // True in `of_thousand` of 1,000 cases.
  bool Act(uint32_t of_thousand) { return random_.Chance(of_thousand); }
  // Drains one node, hard or soft, or resumes it.
  void DrainOrResume(World& world);
  // Resumes every node, so that all waiting requests can end.
  void ResumeAll(World& world);
  // Deposits some credits, or takes some; sometimes for a short time only, or again with the key of
  // an earlier deposit.
  void Post(World& world);
  // Grants enough that all waiting requests can be paid for.
  void GrantAll(World& world);
  // Alters one request. Waiting: time, chunks, window, queue. Running: more time or other counts,
  // or the ACL of a reservation; sometimes more than is allowed.
  void Alter(World& world);
  // Alters one job of a site's own users, by its owner, in the same way.
  void AlterAtSite(World& world);

 private:
  void Say(World& world, const std::string& user, schemas::Act act);
  schemas::Alteration ChangeOfRunning(const schemas::RequestSpec& spec);
  schemas::Alteration ChangeOfWaiting(const schemas::RequestSpec& spec, Instant now);

  Random random_;
  uint64_t posted_ = 0;
  uint64_t said_ = uint64_t{1} << 32;  // message numbers beyond those of planned messages
};

}  // namespace muster::sim
