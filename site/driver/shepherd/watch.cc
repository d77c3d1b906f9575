// One loop over signals and a timer on the boot clock. As subreaper the shepherd inherits every
// orphan of the part, so "no children" means that nothing of it is left.
#include "site/driver/shepherd/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "site/driver/shepherd/cgroup.h"
#include "site/driver/shepherd/family.h"
#include "site/driver/shepherd/notice.h"
#include "site/driver/shepherd/part_folder.h"

namespace muster::shepherd {
namespace {

constexpr int64_t kStragglersMs =
    50;  // delay between signalling the command's group and the processes outside it
constexpr int64_t kKillAgainMs = 200;  // between two rounds of KILL
constexpr int64_t kStopAgainMs = 20;   // between two rounds of STOP
constexpr int64_t kFarMs = int64_t{1} << 50;
constexpr int kTellAgainMs = 200;

class Watcher {
 public:
  Watcher(const Spec& spec, const Home& home, pid_t command, int64_t started, Teller* teller,
          Ending* ending)
      : spec_(spec),
        notice_(spec, home),
        folder_(home.folder),
        command_(command),
        started_(started),
        teller_(*teller),
        ending_(*ending) {
    MayRun(spec.walltime_ms);
  }

  void Run(int signals);
  // For how long the part was paused. REQUIRES: Run has returned.
  int64_t paused_ms() const { return paused_ms_; }

 private:
  enum class Phase { kRunning, kTerminating, kKilling };

  void TakeSignals(int signals);
  void Told(int word);
  void MayRun(int64_t walltime_ms);
  void Pause();
  void StopAgain();
  void Resume();
  bool paused() const { return paused_at_ >= 0; }
  bool Reap();  // false when no child is left
  void Terminate(const char* by, int64_t grace_ms);
  void Kill();
  void OnTime(int64_t now);
  int64_t NextTime() const;

  const Spec& spec_;
  const Notice notice_;
  const int folder_;
  const pid_t command_;
  const int64_t started_;
  Teller& teller_;
  Ending& ending_;
  Phase phase_ = Phase::kRunning;
  bool command_reaped_ = false;
  int64_t walltime_at_ = 0;
  int64_t notice_at_ = kFarMs;
  int64_t kill_at_ = kFarMs;
  int64_t stragglers_at_ = kFarMs;  // when TERM goes to those outside the command's group
  int64_t kill_again_at_ = kFarMs;
  int64_t paused_at_ = -1;          // boot time; -1: it is not paused
  int64_t paused_ms_ = 0;           // in all, before that
  bool frozen_ = false;             // while it is paused: by a cgroup, not by STOP
  int64_t stop_again_at_ = kFarMs;  // while it is paused: when to look for who is not stopped
  bool scan_ = false;  // a first round of KILL is over; the next ones search for all descendants
};

void Watcher::Run(int signals) {
  const int timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  int64_t armed = -1;
  if (ending_.by != nullptr) Kill();
  while (Reap()) {
    OnTime(BootMs());
    const int64_t next = NextTime();
    if (next != armed) {
      itimerspec when;
      memset(&when, 0, sizeof(when));
      when.it_value.tv_sec = next / 1000;
      when.it_value.tv_nsec = next % 1000 * 1'000'000 + 1;  // zero would disarm
      timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, nullptr);
      armed = next;
    }
    pollfd wait[2] = {{signals, POLLIN, 0}, {timer, POLLIN, 0}};
    poll(wait, 2, teller_.pending() ? kTellAgainMs : -1);
    if (wait[1].revents != 0) armed = -1;  // settime clears the expiry
    teller_.Retry();
    TakeSignals(signals);
  }
  close(timer);
}

void Watcher::TakeSignals(int signals) {
  signalfd_siginfo info;
  while (read(signals, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
    if (static_cast<int>(info.ssi_signo) == LookSignal()) {
      Told(info.ssi_int);
      continue;
    }
    const bool told = static_cast<int>(info.ssi_signo) == StopSignal();
    if (!told && info.ssi_signo != SIGTERM) continue;
    Terminate(kByRelease, told && info.ssi_int >= 0 ? info.ssi_int : spec_.stop_grace_ms);
  }
}

void Watcher::Told(int word) {
  if (phase_ != Phase::kRunning) return;
  if (word == kResized) {
    kill(-command_, SIGWINCH);
  } else if (word == kPaused) {
    Pause();
  } else if (word == kResumed) {
    Resume();
  } else if (word > 0) {
    MayRun(int64_t{word} * 1000);
  }
}

// Only ever raises the walltime: a signal that comes late, or a limit file that is older than the
// last signal, takes nothing back. A notice that was given is due again before the new end.
void Watcher::MayRun(int64_t walltime_ms) {
  const int64_t until = started_ + walltime_ms;
  if (until <= walltime_at_) return;
  walltime_at_ = until;
  // A notice that would be due at the start or before it is not given.
  const bool heard = spec_.notice_ms > 0 && spec_.notice_ms < walltime_ms;
  notice_at_ = heard ? until - spec_.notice_ms : kFarMs;
}

// A part with a cgroup is frozen as a whole. Without one each process is stopped; what is forked
// meanwhile is found in the next round, and the last round finds nobody.
void Watcher::Pause() {
  if (paused()) return;
  paused_at_ = BootMs();
  frozen_ = FreezeGroups(spec_, true);
  if (!frozen_) StopAgain();
}

void Watcher::StopAgain() { stop_again_at_ = StopDescendants() ? BootMs() + kStopAgainMs : kFarMs; }

void Watcher::Resume() {
  if (!paused()) return;
  paused_ms_ += BootMs() - paused_at_;
  paused_at_ = -1;
  stop_again_at_ = kFarMs;
  if (frozen_) {
    FreezeGroups(spec_, false);
  } else {
    SignalDescendants(SIGCONT, 0);
  }
}

bool Watcher::Reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return false;
    if (pid == 0) break;
    if (pid != command_) continue;
    command_reaped_ = true;
    if (WIFEXITED(status)) ending_.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ending_.signal = WTERMSIG(status);
  }
  if (command_reaped_ && phase_ == Phase::kRunning) Terminate(kByExit, spec_.stop_grace_ms);
  return true;
}

// Only the first reason is recorded; a later call can only bring KILL forward.
void Watcher::Terminate(const char* by, int64_t grace_ms) {
  if (phase_ == Phase::kKilling) return;
  const int64_t now = BootMs();
  if (now + grace_ms < kill_at_) kill_at_ = now + grace_ms;
  if (phase_ == Phase::kTerminating) return;
  phase_ = Phase::kTerminating;
  ending_.by = by;
  if (by != kByRelease) teller_.Ending();  // the daemon itself asked for a release
  // Once the command is reaped, its pid may name another process group.
  if (!command_reaped_) {
    kill(-command_, SIGTERM);
    kill(-command_, SIGCONT);
  }
  Resume();  // what is frozen or stopped hears nothing but KILL, and a frozen tree not even that
  stragglers_at_ = command_reaped_ ? now : now + kStragglersMs;
}

void Watcher::Kill() {
  phase_ = Phase::kKilling;
  KillGroups(spec_);
  if (!command_reaped_) kill(-command_, SIGKILL);
  if (scan_ || command_reaped_) SignalDescendants(SIGKILL, 0);
  kill_again_at_ = BootMs() + (scan_ ? kKillAgainMs : kStragglersMs);
  scan_ = true;
}

void Watcher::OnTime(int64_t now) {
  if (now >= stop_again_at_) StopAgain();
  if (phase_ == Phase::kRunning && !paused() && (now >= walltime_at_ || now >= notice_at_)) {
    MayRun(ReadLimit(folder_));
    if (now >= walltime_at_) {
      Terminate(kByWalltime, spec_.walltime_grace_ms);
    } else if (now >= notice_at_) {
      notice_at_ = kFarMs;
      notice_.Give(command_, walltime_at_ - now);
    }
  }
  if (phase_ == Phase::kTerminating && now >= stragglers_at_) {
    stragglers_at_ = kFarMs;
    SignalDescendants(SIGTERM, command_reaped_ ? 0 : command_);
  }
  if (phase_ == Phase::kTerminating && now >= kill_at_) Kill();
  if (phase_ == Phase::kKilling && now >= kill_again_at_) Kill();
}

int64_t Watcher::NextTime() const {
  switch (phase_) {
    case Phase::kRunning:
      if (paused()) return stop_again_at_;
      return notice_at_ < walltime_at_ ? notice_at_ : walltime_at_;
    case Phase::kTerminating:
      return stragglers_at_ < kill_at_ ? stragglers_at_ : kill_at_;
    case Phase::kKilling:
      return kill_again_at_;
  }
  return kFarMs;
}

}  // namespace

int BlockSignals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  const int signals[] = {SIGTERM, SIGCHLD, SIGINT, SIGHUP, StopSignal(), LookSignal()};
  for (const int signal : signals) sigaddset(&blocked, signal);
  if (sigprocmask(SIG_SETMASK, &blocked, nullptr) != 0) return -1;
  struct sigaction ignore;
  memset(&ignore, 0, sizeof(ignore));
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  return signalfd(-1, &blocked, SFD_NONBLOCK | SFD_CLOEXEC);
}

void Teller::Retry() {
  if (started_ms_ >= 0 && Write(static_cast<uint32_t>(NewsKind::kStarted), started_ms_))
    started_ms_ = -1;
  if (ending_ && Write(static_cast<uint32_t>(NewsKind::kEnding), WallMs())) ending_ = false;
}

// True if the news was sent, or if nobody reads the pipe any more.
bool Teller::Write(uint32_t kind, int64_t at_ms) {
  if (fd_ < 0) return true;
  const News news = {serial_, at_ms, static_cast<NewsKind>(kind), 0};
  if (write(fd_, &news, sizeof(news)) == static_cast<ssize_t>(sizeof(news))) return true;
  if (errno == EAGAIN) return false;
  close(fd_);
  fd_ = -1;
  return true;
}

void Watch(const Spec& spec, const Home& home, int signals, pid_t command, int64_t started_boot_ms,
           Teller* teller, Ending* ending) {
  Watcher watcher(spec, home, command, started_boot_ms, teller, ending);
  watcher.Run(signals);
  if (ending->by == nullptr) ending->by = kByExit;
  ending->ended_ms = WallMs();
  ending->elapsed_ms = BootMs() - started_boot_ms - watcher.paused_ms();
  rusage usage;
  if (getrusage(RUSAGE_CHILDREN, &usage) == 0) {
    ending->cpu_ms = int64_t{usage.ru_utime.tv_sec + usage.ru_stime.tv_sec} * 1000 +
                     (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
    ending->max_rss_bytes = int64_t{usage.ru_maxrss} * 1024;
  }
  // The group also counts processes whose parents never waited for them.
  const int64_t group_cpu_ms = GroupCpuMs(spec);
  if (group_cpu_ms > ending->cpu_ms) ending->cpu_ms = group_cpu_ms;
}

}  // namespace muster::shepherd
