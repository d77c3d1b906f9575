// posix_spawn and the pidfd system calls, which this C library does not wrap.
#include "site/driver/process/spawn.h"

#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "site/driver/shepherd/part_folder.h"

namespace muster::driver {

absl::StatusOr<pid_t> SpawnShepherd(const std::string& program, const std::string& folder,
                                    const std::string& token, int news_fd, int null_fd) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  // `null_fd` is duplicated first: it may be the number kNewsFd itself; `news_fd` is never 0, 1 or
  // 2.
  for (const int stream : {0, 1, 2}) posix_spawn_file_actions_adddup2(&files, null_fd, stream);
  posix_spawn_file_actions_adddup2(&files, news_fd, shepherd::kNewsFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, shepherd::StopSignal());
  sigaddset(&blocked, shepherd::LookSignal());
  posix_spawnattr_setsigmask(&attributes, &blocked);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char* const arguments[] = {const_cast<char*>(program.c_str()), const_cast<char*>(folder.c_str()),
                             const_cast<char*>(token.c_str()), nullptr};
  char* const environment[] = {nullptr};
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &files, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return Internal("cannot start '" + program + "': " + std::strerror(error));
  return pid;
}

namespace {

bool Queue(int pidfd, int signal, int value) {
  siginfo_t info;
  std::memset(&info, 0, sizeof(info));
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = value;
  return syscall(SYS_pidfd_send_signal, pidfd, signal, &info, 0) == 0 || errno == ESRCH;
}

}  // namespace

void AskToStop(int pidfd, BootSpan grace) {
  const int value = static_cast<int>(std::clamp<int64_t>(grace.milliseconds, 0, INT_MAX));
  if (Queue(pidfd, shepherd::StopSignal(), value)) return;
  // The signal queue is full; a plain SIGTERM always fits.
  syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, nullptr, 0);
}

bool AskToLook(int pidfd, int word) { return Queue(pidfd, shepherd::LookSignal(), word); }

int OpenPidfd(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace muster::driver
