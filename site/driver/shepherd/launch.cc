// A clone of this small process execs the command, and the shepherd waits for the exec
// (CLONE_VFORK). The two share no memory except one page for the error.
#include "site/driver/shepherd/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "site/driver/shepherd/cgroup.h"
#include "site/driver/shepherd/part_folder.h"

namespace muster::shepherd {
namespace {

constexpr int kChildFailed = 127;

// Clones this process, directly into the version 2 group if the kernel supports that; `born` is
// then true.
pid_t Copy(const Spec& spec, bool* born) {
  *born = false;
  if (spec.group_count > 0 && spec.groups[0].unified) {
    const int group = open(spec.groups[0].path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (group >= 0) {
      clone_args request;
      memset(&request, 0, sizeof(request));
      request.flags = CLONE_VFORK | CLONE_INTO_CGROUP;
      request.exit_signal = SIGCHLD;
      request.cgroup = group;
      *born = true;  // the clone reads it, too
      const pid_t pid = syscall(SYS_clone3, &request, sizeof(request));
      const int error = errno;
      if (pid != 0) close(group);
      if (pid >= 0) return pid;
      *born = false;
      if (error == EAGAIN || error == ENOMEM) {
        errno = error;
        return -1;
      }
    }
  }
  return syscall(SYS_clone, CLONE_VFORK | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
}

[[noreturn]] void Fail(Launched* shared, const char* step) {
  shared->error = errno;
  shared->step = step;
  _exit(kChildFailed);
}

// execve; like execvp, it runs a text file without "#!" by the shell.
void Execute(const char* path, const Spec& spec) {
  execve(path, spec.arguments, spec.environment);
  if (errno != ENOEXEC) return;
  size_t count = 0;
  while (spec.arguments[count] != nullptr) ++count;
  char** arguments = static_cast<char**>(calloc(count + 2, sizeof(char*)));
  if (arguments == nullptr) return;
  arguments[0] = const_cast<char*>("/bin/sh");
  arguments[1] = const_cast<char*>(path);
  for (size_t i = 1; i < count; ++i) arguments[i + 1] = spec.arguments[i];
  execve("/bin/sh", arguments, spec.environment);
}

// Searches as execvp does, with the PATH of the part's environment. Returns, with errno set, only
// if nothing could be executed.
void Search(const Spec& spec) {
  if (strchr(spec.program, '/') != nullptr) {
    Execute(spec.program, spec);
    return;
  }
  const char* path = kDefaultPath;
  for (char** variable = spec.environment; *variable != nullptr; ++variable) {
    if (strncmp(*variable, "PATH=", 5) == 0) path = *variable + 5;
  }
  bool denied = false;
  for (const char* folder = path;; ++folder) {
    const size_t length = strcspn(folder, ":");
    char candidate[PATH_MAX];
    const int written = snprintf(candidate, sizeof(candidate), "%.*s%s%s", static_cast<int>(length),
                                 folder, length == 0 ? "./" : "/", spec.program);
    errno = ENAMETOOLONG;
    if (written < PATH_MAX) Execute(candidate, spec);
    if (errno == EACCES) denied = true;
    if (errno != EACCES && errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG) return;
    folder += length;
    if (*folder == '\0') break;
  }
  errno = denied ? EACCES : ENOENT;
}

void ResetSignals() {
  struct sigaction usual;
  memset(&usual, 0, sizeof(usual));
  usual.sa_handler = SIG_DFL;
  sigaction(SIGPIPE, &usual, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void BecomeCommand(const Spec& spec, const char* folder, int stdout_fd, int stderr_fd,
                                bool born, Launched* shared) {
  setpgid(0, 0);
  JoinGroups(spec, born);
  if (spec.open_files >= 0) {
    rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) Fail(shared, "read the limit of open files");
    limit.rlim_cur = spec.open_files;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) Fail(shared, "limit the open files");
  }
  if (spec.other_account) {
    if (setgroups(spec.supplementary_count, spec.supplementary) != 0)
      Fail(shared, "set the groups");
    if (setresgid(spec.gid, spec.gid, spec.gid) != 0) Fail(shared, "set the group");
    if (setresuid(spec.uid, spec.uid, spec.uid) != 0) Fail(shared, "become the account");
  }
  if (chdir(folder) != 0) Fail(shared, "enter its working directory");
  if (dup2(stdout_fd, 1) < 0 || dup2(stderr_fd, 2) < 0) Fail(shared, "set up its output");
  umask(022);
  // If the shepherd dies the command must die too, since nothing else would end it in time. Set
  // after the change of account, which clears it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ResetSignals();
  Search(spec);
  Fail(shared, nullptr);
}

}  // namespace

Launched Launch(const Spec& spec, const char* folder, int stdout_fd, int stderr_fd) {
  void* page =
      mmap(nullptr, sizeof(Launched), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return {.error = errno, .step = "get memory"};
  Launched* shared = static_cast<Launched*>(page);
  *shared = Launched{};
  bool born = false;
  const pid_t pid = Copy(spec, &born);
  if (pid == 0) BecomeCommand(spec, folder, stdout_fd, stderr_fd, born, shared);
  if (pid < 0) {
    *shared = {.error = errno, .step = "make a process"};
  } else if (shared->error != 0) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  } else {
    shared->pid = pid;
  }
  const Launched result = *shared;
  munmap(page, sizeof(Launched));
  return result;
}

}  // namespace muster::shepherd
