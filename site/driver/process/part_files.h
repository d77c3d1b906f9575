// The driver's side of a part's folder (site/driver/shepherd/part_folder.h): writes it before the
// spawn, reads its traces afterwards, and empties it when the ledger no longer needs it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "site/driver/accounts.h"
#include "site/driver/driver.h"
#include "site/driver/part_checks.h"
#include "site/driver/process/cgroups.h"
#include "site/driver/surroundings.h"

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

// What the spec contains beside the part itself.
struct SpecFacts {
  std::string boot_id;
  uint64_t serial = 0;
  BootSpan walltime_grace;
  BootSpan stop_grace;
  std::optional<Account> account;  // none: the daemon's own account
  int64_t open_files = -1;
  std::string own_dir;
  std::vector<PartGroup> groups;
  DeviceGrant devices;
};

// Creates the folder and fills it, the token file last. On an error nothing is left of it.
// AlreadyExists: the folder exists and was not touched.
absl::Status WritePart(const std::string& folder, const StartPart& part, const SpecFacts& facts);

// Each replaces its file as a whole: WriteLimit the limit file, WriteNodeFile the node file, which
// keeps its owner. kChanged: the node file had another content before.
absl::Status WriteLimit(const std::string& folder, Span walltime);
enum class Put : uint8_t { kSame, kChanged };
absl::StatusOr<Put> WriteNodeFile(const std::string& folder, const schemas::PartPlace& place);

// The lock on the token file: kHeld if a shepherd lives, kMissing if there is no token file. Also
// kHeld if no file descriptor is available, so that the caller tries again.
enum class Lock : uint8_t { kHeld, kObtained, kMissing };
struct LockTry {
  Lock lock = Lock::kMissing;
  Descriptor descriptor;  // if kObtained: holds the lock while open
};
LockTry TryLock(const std::string& folder);

// Contents of the token file.
struct Traces {
  std::string boot_id;  // empty: the spec is incomplete
  std::string part_name;
  std::vector<PartGroup> groups;  // without their limits
  DeviceGrant devices;
  pid_t shepherd = -1;
  bool started = false;
  std::optional<Moment> started_at;
  // From a complete exit record: the end of a part that ran, or why nothing ran.
  std::optional<PartEnded> ended;
  std::optional<PartNotStarted> not_started;
  std::optional<Finding> verdict;  // that a driver wrote: kNeverRan or kCannotTell
};
Traces ReadTraces(const std::string& folder, const std::string& token);
// Writes a verdict into the token file, so that no shepherd starts the token and every later driver
// gives the same answer. Creates the file and its folder if they are missing. False if it could not
// be written (a full disk). REQUIRES: the caller holds the lock if the file exists; `verdict` is
// kNeverRan or kCannotTell.
bool WriteVerdict(const std::string& folder, Finding verdict);

// Removes everything except the output.
void RemoveBookkeeping(const std::string& folder);
// Removes the folder and all files of the driver and its shepherd in it.
void RemoveFolder(const std::string& folder);

}  // namespace muster::driver
