// What became of a part: from the folder alone, as protocol.md section 3.3 says, so that it makes
// no difference whether this daemon or an earlier one started it.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "site/driver/process/process_driver.h"
#include "site/driver/process/spawn.h"
#include "site/driver/shepherd/part_folder.h"

namespace muster::driver {
namespace {

constexpr int kTicksUntilFound = 250;  // 5 s: longer than any start that is not stuck
constexpr char kLost[] = "its shepherd is gone without a record: how it ended is unknown";

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

Moment WallNow() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return {int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000};
}

std::string BootFile(const std::string& state_dir) { return state_dir + "/tries/.boot"; }

std::string HowItEnded(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

absl::Status ProcessDriver::PrepareFolders() {
  boot_id_ = FirstLine("/proc/sys/kernel/random/boot_id");
  // Users other than the daemon's own pass through to files of theirs; the names are not theirs to
  // list.
  bool fresh = false;
  for (const char* name : {"", "/tries", "/outputs", "/parts"}) {
    const std::string folder = options_.state_dir + name;
    if (mkdir(folder.c_str(), 0711) == 0) {
      fresh = fresh || std::strcmp(name, "/tries") == 0;
    } else if (errno != EEXIST) {
      return Internal("cannot make '" + folder + "': " + std::strerror(errno));
    }
    if (access(folder.c_str(), W_OK | X_OK) != 0) {
      return Internal("cannot write into '" + folder + "': " + std::strerror(errno));
    }
  }
  // Nothing below is synced: after a reboot, or with the folder made anew, a missing trace proves
  // nothing.
  traces_may_be_lost_ = fresh || FirstLine(BootFile(options_.state_dir)) != boot_id_;
  return absl::OkStatus();
}

// From here on, the traces of this boot are complete: those that were asked for and not found have
// a mark.
void ProcessDriver::RememberBoot() {
  if (std::exchange(boot_remembered_, true)) return;
  if (FirstLine(BootFile(options_.state_dir)) == boot_id_) return;
  std::ofstream(BootFile(options_.state_dir), std::ios::trunc) << boot_id_ << "\n";
}

void ProcessDriver::Find(const std::string& token) {
  PartFound found{.token = token};
  if (const auto serial = serials_.find(token); serial != serials_.end()) {
    found.finding = Finding::kRunning;
    found.started_at = live_.at(serial->second).started_at;
    Say(std::move(found));
    return;
  }
  if (!IsFileName(token) || kept_out_.contains(token)) {
    found.finding = Finding::kNeverRan;
    Say(std::move(found));
    return;
  }
  LockTry lock = TryLock(FolderOf(token));
  if (lock.lock == Lock::kHeld) {
    const Traces traces = ReadTraces(FolderOf(token), token);
    devices_.Retake(traces.devices);
    const uint64_t serial = next_serial_++;
    Add({.token = token,
         .part_name = traces.part_name,
         .serial = serial,
         .devices = traces.devices,
         .start_told = true,
         .found_told = false,
         .ticks_until_found = kTicksUntilFound});
    Look(serial);
    ArmTimer();
    return;
  }
  if (lock.lock == Lock::kMissing) {
    found.finding = FindWithoutToken(token);
  } else {
    const Traces traces = ReadTraces(FolderOf(token), token);
    found.started_at = traces.started_at;
    found.ended = traces.ended;
    found.finding = FindWithoutShepherd(token, traces, std::move(lock));
  }
  Say(std::move(found));
}

// The lock is ours: no shepherd lives, and none will as long as we keep it.
Finding ProcessDriver::FindWithoutShepherd(const std::string& token, const Traces& traces,
                                           LockTry lock) {
  if (traces.ended) return Finding::kEnded;
  if (traces.not_started) return Finding::kNeverRan;
  // Not wholly written: before any shepherd was started, or lost with a reboot.
  const bool lost = traces.boot_id.empty() ? traces_may_be_lost_ : traces.boot_id != boot_id_;
  if (lost) return Finding::kCannotTell;
  if (traces.started) {
    KillLeft(token);
    return Finding::kCannotTell;
  }
  kept_out_[token] = std::move(lock.descriptor);
  return Finding::kNeverRan;
}

// Without a token file no shepherd can start, and none was ever started if there is no folder or
// nothing else in it; only a reboot can have taken what a shepherd left.
Finding ProcessDriver::FindWithoutToken(const std::string& token) {
  const std::string folder = FolderOf(token);
  const bool ran = access((folder + "/" + shepherd::kStdoutFile).c_str(), F_OK) == 0;
  if (ran) return Finding::kCannotTell;
  if (!traces_may_be_lost_) return Finding::kNeverRan;
  // Marked, so that the next daemon does not take the missing folder for a proof.
  WriteLost(folder);
  return Finding::kCannotTell;
}

void ProcessDriver::KillLeft(const std::string& token) {
  const std::string folder = FolderOf(token);
  const Traces traces = ReadTraces(folder, token);
  if (KillLeftIn(traces.groups)) return;
  // Every part has this variable, and no other part its value.
  KillMarked("MUSTER_NODEFILE=" + folder + "/" + shepherd::kNodeFile);
}

void ProcessDriver::Look(uint64_t serial) {
  Live& live = live_.at(serial);
  if (live.child) {
    siginfo_t info{};
    if (waitid(P_PID, live.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == live.pid)
      Gone(serial);
    return;
  }
  const std::string folder = FolderOf(live.token);
  LockTry lock = TryLock(folder);
  Traces traces = ReadTraces(folder, live.token);
  if (lock.lock == Lock::kHeld && !live.pidfd && traces.shepherd > 0 &&
      Attach(live, traces.shepherd)) {
    // The pid was its own if it still holds the lock now that we have the descriptor.
    lock = TryLock(folder);
    if (lock.lock == Lock::kHeld) {
      for (const int word : std::exchange(live.words, {})) AskToLook(live.pidfd.get(), word);
      if (live.stop) AskToStop(live.pidfd.get(), *live.stop);
    }
  }
  if (lock.lock != Lock::kHeld) {
    lock.descriptor = Descriptor();  // or the next try would take us for a shepherd
    Gone(serial);
    return;
  }
  if (!live.found_told && (traces.started || --live.ticks_until_found <= 0)) {
    live.found_told = true;
    live.started_at = traces.started_at;
    Say(PartFound{
        .token = live.token, .finding = Finding::kRunning, .started_at = traces.started_at});
  }
  if (live.found_told && live.pidfd) unsure_.erase(serial);
}

void ProcessDriver::Gone(uint64_t serial) {
  const auto found = live_.find(serial);
  if (found == live_.end()) return;
  const Live live = std::move(found->second);
  live_.erase(found);
  unsure_.erase(serial);
  serials_.erase(live.token);
  devices_.Return(live.devices);
  int status = 0;
  if (live.child) waitpid(live.pid, &status, WNOHANG);
  if (!live.found_told) {
    Find(live.token);
    return;
  }
  const Traces traces = ReadTraces(FolderOf(live.token), live.token);
  if (traces.not_started) {
    Say(*traces.not_started);
    return;
  }
  if (!traces.started && !traces.ended) {
    Say(PartNotStarted{.token = live.token,
                       .why = "its shepherd ended before the start, by " + HowItEnded(status)});
    return;
  }
  if (!live.start_told) {
    Say(PartStarted{.token = live.token, .at = traces.started_at.value_or(WallNow())});
  }
  if (traces.ended) {
    Say(*traces.ended);
    return;
  }
  KillLeft(live.token);
  PartEnded lost{.token = live.token, .at = WallNow()};
  lost.end = {.by = schemas::EndedBy::kUnknown, .text = kLost};
  if (traces.started_at)
    lost.usage.elapsed = {lost.at.milliseconds - traces.started_at->milliseconds};
  Say(std::move(lost));
}

}  // namespace muster::driver
