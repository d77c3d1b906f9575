// Which cgroups this machine lets a daemon use, and what a part gets of them. Both versions, also
// mixed: processes are tracked where a whole group can be killed at once, limits go where the
// controllers are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/resources.h"

namespace muster::driver {

// A cgroup of one part, to be made and joined by its shepherd.
struct PartGroup {
  std::string path;
  bool unified = false;                                     // version 2
  std::vector<std::pair<std::string, std::string>> limits;  // file -> value
  bool operator==(const PartGroup&) const = default;
};

// A place below which groups of parts are made.
struct GroupParent {
  std::string path;
  bool unified = false;
  bool memory = false;  // this controller limits here
  bool cpu = false;
};

class Cgroups {
 public:
  // None.
  Cgroups() = default;
  // Makes a group `name` below the daemon's own in every hierarchy that can track or limit. Never
  // fails: what is not to be had is in note().
  static Cgroups Detect(const std::string& name);
  Cgroups(std::vector<GroupParent> parents, std::string note)
      : parents_(std::move(parents)), note_(std::move(note)) {}

  // The groups of one part with `amounts` (ncpus, mem in bytes; 0: no limit) on its node; unified
  // ones first. A limit at or above what `machine` has limits nothing and is left out.
  std::vector<PartGroup> GroupsFor(const std::string& token, const ResourceSet& amounts,
                                   const ResourceSet& machine) const;
  // One line for people: which limits hold, and why others do not.
  const std::string& note() const { return note_; }
  // Removes what Detect made, if no part is left in it.
  void RemoveEmpty() const;

 private:
  std::vector<GroupParent> parents_;
  std::string note_ = "no cgroup limits: switched off";
};

// Writes these limits into groups that are there: a part has other amounts now.
void LimitAnew(const std::vector<PartGroup>& groups);

// ncpus and mem of the machine the daemon runs on.
ResourceSet ThisMachine();

// Ends what is left in groups whose shepherd is gone, and removes them. True if there was such a
// group.
bool KillLeftIn(const std::vector<PartGroup>& groups);
// The same for a machine without cgroups: kills every process whose environment holds `mark`.
void KillMarked(const std::string& mark);

}  // namespace muster::driver
