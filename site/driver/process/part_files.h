// The driver's side of a part's folder (site/driver/shepherd/part_folder.h): writes it before the
// spawn, reads its traces afterwards, empties it when the ledger needs it no more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "site/driver/driver.h"
#include "site/driver/process/accounts.h"
#include "site/driver/process/cgroups.h"
#include "site/driver/process/surroundings.h"

namespace muster::driver {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int Release();

 private:
  int fd_ = -1;
};

// Text fit to name a file of ours: 1 to 200 bytes, no '/', no leading '.', nothing unprintable.
bool IsFileName(const std::string& text);

// What goes into the spec beside the part itself.
struct SpecFacts {
  std::string boot_id;
  uint64_t serial = 0;
  BootSpan walltime_grace;
  BootSpan stop_grace;
  std::optional<Account> account;  // nothing: the daemon's own
  int64_t open_files = -1;
  std::string own_dir;
  std::vector<PartGroup> groups;
  DeviceGrant devices;
};

// Null bytes, a bad variable name, nothing to run: such a payload can never start. Empty if all is
// well.
std::string WhatIsWrongWith(const StartPart& part);

// Makes the new folder and fills it, the token file last. On an error nothing is left of it.
// AlreadyExists: there is such a folder; it was not touched.
absl::Status WritePart(const std::string& folder, const StartPart& part, const SpecFacts& facts);

// Puts a new walltime into the folder, whole; a new node file, which belongs to whom the old one
// did. Changed: it said something else before.
absl::Status WriteLimit(const std::string& folder, Span walltime);
enum class Put : uint8_t { kSame, kChanged };
absl::StatusOr<Put> WriteNodeFile(const std::string& folder, const schemas::PartPlace& place);
// The number of a signal that a notice may name: "USR1", "SIGUSR1"; nothing for others.
std::optional<int> SignalNumber(const std::string& name);

// Whether the shepherd lives; held also while there is no descriptor to be had, so that it is tried
// again.
enum class Lock : uint8_t { kHeld, kObtained, kMissing };
struct LockTry {
  Lock lock = Lock::kMissing;
  Descriptor descriptor;  // kObtained: holds the lock while it lives
};
LockTry TryLock(const std::string& folder);

// What the token file says.
struct Traces {
  std::string boot_id;  // empty: what to run was not wholly written
  std::string part_name;
  std::vector<PartGroup> groups;  // without their limits
  DeviceGrant devices;
  pid_t shepherd = -1;
  bool started = false;
  std::optional<Moment> started_at;
  // A whole exit record: that of a part which ran, or why nothing ran.
  std::optional<PartEnded> ended;
  std::optional<PartNotStarted> not_started;
  std::optional<Finding> verdict;  // of an earlier driver: kNeverRan or kCannotTell
};
Traces ReadTraces(const std::string& folder, const std::string& token);
// Marks a token, so that no shepherd begins with it and every later driver finds the same. The
// token file is made if it is missing, with its folder. False if it could not be written (a full
// disk). REQUIRES: the lock is ours if the file exists; `verdict` is kNeverRan or kCannotTell.
bool WriteVerdict(const std::string& folder, Finding verdict);

// Removes all but the output.
void RemoveBookkeeping(const std::string& folder);
// Removes the folder with everything this driver and its shepherd put there.
void RemoveFolder(const std::string& folder);

}  // namespace muster::driver
