// The cgroups that this machine lets a daemon use, and those that a part gets. Supports both
// versions, also mixed: processes are tracked where a whole group can be killed at once, and limits
// are set where the controllers are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/resources.h"

namespace muster::driver {

// A cgroup of one part, created and joined by its shepherd.
struct PartGroup {
  std::string path;
  bool unified = false;                                     // version 2
  std::vector<std::pair<std::string, std::string>> limits;  // file -> value
  bool operator==(const PartGroup&) const = default;
};

// A cgroup below which the groups of parts are created.
struct GroupParent {
  std::string path;
  bool unified = false;
  bool memory = false;  // the memory controller is available here
  bool cpu = false;
  bool freezer = false;  // a version 1 hierarchy whose groups can be frozen
};

class Cgroups {
 public:
  // No cgroups.
  Cgroups() = default;
  // Creates a group `name` below the daemon's own in every hierarchy that can track or limit. Never
  // fails: note() tells what is not available.
  static Cgroups Detect(const std::string& name);
  Cgroups(std::vector<GroupParent> parents, std::string note)
      : parents_(std::move(parents)), note_(std::move(note)) {}

  // The groups for one part that uses `amounts` of its node (ncpus; mem in bytes; 0: no limit),
  // version 2 first. Limits at or above what `machine` has are left out.
  std::vector<PartGroup> GroupsFor(const std::string& token, const ResourceSet& amounts,
                                   const ResourceSet& machine) const;
  // One line for people: which limits are enforced, and why others are not.
  const std::string& note() const { return note_; }
  // Removes the groups that Detect created, if no part is left in them.
  void RemoveEmpty() const;

 private:
  std::vector<GroupParent> parents_;
  std::string note_ = "no cgroup limits: switched off";
};

// Writes these limits into existing groups, after the amounts of a part have changed.
void LimitAnew(const std::vector<PartGroup>& groups);

// ncpus and mem of the machine the daemon runs on.
ResourceSet ThisMachine();

// Kills what is left in groups whose shepherd is gone, paused or not, and removes them. True if
// there was such a group.
bool KillLeftIn(const std::vector<PartGroup>& groups);
// The same without cgroups: kills every process that has the variable `mark` ("NAME=VALUE").
void KillMarked(const std::string& mark);

}  // namespace muster::driver
