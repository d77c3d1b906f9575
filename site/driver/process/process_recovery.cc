// Determines from a part's folder what happened to the part (protocol.md section 3.3). It does not
// matter whether this daemon or an earlier one started the part.
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
#include "site/driver/words.h"

namespace muster::driver {
namespace {

constexpr int kTicksUntilFound = 250;  // 5 s: longer than any start takes unless it hangs

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
  // Other users can reach their files through these folders, but cannot list the folders.
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
  // Nothing below is synced: after a reboot, or if the folder was just created, a missing trace
  // proves nothing.
  traces_may_be_lost_ = fresh || FirstLine(BootFile(options_.state_dir)) != boot_id_;
  return absl::OkStatus();
}

// From here on the traces of this boot are complete: tokens that were asked for and not found have
// a verdict on file.
void ProcessDriver::RememberBoot() {
  if (std::exchange(boot_remembered_, true)) return;
  if (FirstLine(BootFile(options_.state_dir)) == boot_id_) return;
  std::ofstream(BootFile(options_.state_dir), std::ios::trunc) << boot_id_ << "\n";
}

// Refuses a start. A new token gets a verdict, so that no later driver starts it.
void ProcessDriver::Refuse(const PartNotStarted& refusal) {
  const bool known = access(FolderOf(refusal.token).c_str(), F_OK) == 0;
  if (known && IsFileName(refusal.token)) return StartAgain(refusal.token);
  Remember(refusal.token, Finding::kNeverRan);
  Say(refusal);
}

// Answers a repeated start without starting anything: adopts the shepherd if it lives, or reports
// how the part ended, or that the token is over.
void ProcessDriver::StartAgain(const std::string& token) {
  PartFound found{.token = token};
  if (!verdicts_.contains(token)) {
    const LockTry lock = TryLock(FolderOf(token));
    if (lock.lock == Lock::kHeld) return Adopt(token, Owed::kStarted);
    found = Conclude(token, lock);
  }
  if (!found.ended) return Say(PartNotStarted{.token = token, .why = kTokenIsOver});
  Say(PartStarted{.token = token, .at = found.started_at.value_or(found.ended->at)});
  Say(*std::move(found.ended));
}

void ProcessDriver::Find(const std::string& token) {
  PartFound found{.token = token};
  if (const auto serial = serials_.find(token); serial != serials_.end()) {
    const Live& live = live_.at(serial->second);
    if (!live.found_told) return;  // the answer is under way
    found.finding = Finding::kRunning;
    found.started_at = live.started_at;
  } else if (const auto told = verdicts_.find(token); told != verdicts_.end()) {
    found.finding = told->second;
  } else if (!IsFileName(token)) {
    found.finding = Finding::kNeverRan;
  } else {
    const LockTry lock = TryLock(FolderOf(token));
    if (lock.lock == Lock::kHeld) return Adopt(token, Owed::kFound);
    found = Conclude(token, lock);
  }
  Say(std::move(found));
}

void ProcessDriver::Adopt(const std::string& token, Owed owed) {
  const Traces traces = ReadTraces(FolderOf(token), token);
  devices_.Retake(traces.devices);
  const uint64_t serial = next_serial_++;
  Add({.token = token,
       .part_name = traces.part_name,
       .serial = serial,
       .devices = traces.devices,
       .start_told = owed == Owed::kFound,
       .found_told = owed == Owed::kStarted,
       .ticks_until_found = kTicksUntilFound});
  Look(serial);
  ArmTimer();
}

// REQUIRES: this driver holds the lock, or there is no token file; so no shepherd lives. The
// verdict written here keeps out every later shepherd, under any daemon.
PartFound ProcessDriver::Conclude(const std::string& token, const LockTry& lock) {
  const Traces traces = ReadTraces(FolderOf(token), token);
  const Finding finding = FindingOf(token, traces, lock.lock == Lock::kObtained);
  if (finding != Finding::kEnded && !traces.not_started && !traces.verdict) {
    Remember(token, finding);
  }
  return {
      .token = token, .finding = finding, .started_at = traces.started_at, .ended = traces.ended};
}

Finding ProcessDriver::FindingOf(const std::string& token, const Traces& traces, bool has_token) {
  if (traces.ended) return Finding::kEnded;
  if (traces.not_started) return Finding::kNeverRan;
  if (traces.verdict) return *traces.verdict;
  // Without a token file no shepherd can start. None ever did if there is no output either, unless
  // a reboot has lost the traces. An incomplete spec was cut short before any shepherd started, or
  // a reboot has damaged it.
  const bool of_this_boot =
      !traces.boot_id.empty() ? traces.boot_id == boot_id_ : !traces_may_be_lost_;
  const std::string output = FolderOf(token) + "/" + shepherd::kStdoutFile;
  const bool emptied = !has_token && access(output.c_str(), F_OK) == 0;
  if (!of_this_boot || emptied) return Finding::kCannotTell;
  if (!traces.started) return Finding::kNeverRan;
  KillLeft(token);
  return Finding::kCannotTell;
}

// If the disk has no room for the verdict kNeverRan, the token file is deleted, which also keeps a
// late shepherd out. The file stays if a shepherd has used it: no other comes for this token.
void ProcessDriver::Remember(const std::string& token, Finding verdict) {
  const std::string folder = FolderOf(token);
  if (IsFileName(token) && WriteVerdict(folder, verdict)) return;
  verdicts_[token] = verdict;
  if (!IsFileName(token) || verdict != Finding::kNeverRan) return;
  if (ReadTraces(folder, token).shepherd > 0) return;
  unlink((folder + "/" + shepherd::kTokenFile).c_str());
}

void ProcessDriver::KillLeft(const std::string& token) {
  const std::string folder = FolderOf(token);
  const Traces traces = ReadTraces(folder, token);
  if (KillLeftIn(traces.groups)) return;
  // Every part has this variable, with a value of its own.
  KillMarked("MUSTER_NODEFILE=" + folder + "/" + shepherd::kNodeFile);
}

void ProcessDriver::Look(uint64_t serial) {
  Live& live = live_.at(serial);
  if (live.child) {
    siginfo_t info{};
    if (waitid(P_PID, live.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == live.pid)
      return Gone(serial);
    if (!live.pidfd) Attach(live, live.pid);
    SendWords(live);
    if (live.pidfd && live.words.empty()) unsure_.erase(serial);
    return;
  }
  const std::string folder = FolderOf(live.token);
  LockTry lock = TryLock(folder);
  Traces traces = ReadTraces(folder, live.token);
  if (lock.lock == Lock::kHeld && !live.pidfd && traces.shepherd > 0 &&
      Attach(live, traces.shepherd)) {
    // If the lock is still held after opening the descriptor, the pid was not reused.
    lock = TryLock(folder);
    if (lock.lock == Lock::kHeld) {
      if (live.stop) AskToStop(live.pidfd.get(), *live.stop);
    }
  }
  SendWords(live);
  if (lock.lock != Lock::kHeld) {
    lock.descriptor = Descriptor();  // otherwise the next TryLock would find it held
    Gone(serial);
    return;
  }
  if (!live.found_told && (traces.started || --live.ticks_until_found <= 0)) {
    live.found_told = true;
    live.started_at = traces.started_at;
    Say(PartFound{
        .token = live.token, .finding = Finding::kRunning, .started_at = traces.started_at});
  }
  if (!live.start_told && traces.started) {
    live.start_told = true;
    live.started_at = traces.started_at;
    Say(PartStarted{.token = live.token, .at = *live.started_at});
  }
  if (live.answered() && live.pidfd && live.words.empty()) unsure_.erase(serial);
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
  if (traces.not_started || (!traces.started && !traces.ended)) {
    const PartNotStarted none = traces.not_started.value_or(
        PartNotStarted{.token = live.token,
                       .why = "its shepherd ended before the start, by " + HowItEnded(status)});
    if (!live.start_told) return Say(none);
    // The part was reported as running before its shepherd had started it; the start then failed.
    PartEnded ended{.token = live.token, .at = WallNow()};
    ended.end = {.by = schemas::EndedBy::kFailedToStart, .text = none.why};
    return Say(std::move(ended));
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
  lost.end = {.by = schemas::EndedBy::kUnknown, .text = kShepherdLost};
  if (traces.started_at)
    lost.usage.elapsed = {lost.at.milliseconds - traces.started_at->milliseconds};
  Say(std::move(lost));
}

}  // namespace muster::driver
