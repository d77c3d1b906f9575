// muster-shepherd FOLDER TOKEN: starts, limits and ends one part of the process driver, and
// outlives the daemon that started it. protocol.md section 3.3; part_folder.h describes the folder.
// Links libc only, so that its exec is cheap and no library allocates memory.
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "site/driver/shepherd/cgroup.h"
#include "site/driver/shepherd/launch.h"
#include "site/driver/shepherd/part_folder.h"
#include "site/driver/shepherd/record.h"
#include "site/driver/shepherd/spec.h"
#include "site/driver/shepherd/watch.h"

namespace muster::shepherd {
namespace {

constexpr int kCommandNotFound = 127;  // the exit code that shells use
constexpr int kCommandNotRun = 126;

// Closes all descriptors except the standard streams and that for news: a part must not inherit
// open files of the daemon.
int KeepOnlyNews() {
  close_range(kNewsFd + 1, ~0U, 0);
  return fcntl(kNewsFd, F_SETFD, FD_CLOEXEC) == 0 ? kNewsFd : -1;
}

// Opens the token file and locks it while the descriptor is open. -1: another shepherd or the
// daemon holds the lock, or the token was deleted (a lock on an unlinked file guards nothing).
int TakeToken(int folder) {
  const int token = openat(folder, kTokenFile, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (token < 0 || flock(token, LOCK_EX | LOCK_NB) != 0) return -1;
  struct stat status;
  return fstat(token, &status) == 0 && status.st_nlink > 0 ? token : -1;
}

// The submit directory if the part's account can work there, else the part's own directory, created
// here. Null if neither is possible.
const char* ChooseFolder(const Spec& spec) {
  if (spec.submit_dir != nullptr) {
    // Checks the account's permissions as that account: a network file system may refuse root.
    const bool became = spec.other_account &&
                        setgroups(spec.supplementary_count, spec.supplementary) == 0 &&
                        setegid(spec.gid) == 0 && seteuid(spec.uid) == 0;
    const bool usable = (became || !spec.other_account) &&
                        faccessat(AT_FDCWD, spec.submit_dir, W_OK | X_OK, AT_EACCESS) == 0;
    struct stat status;
    const bool folder = usable && stat(spec.submit_dir, &status) == 0 && S_ISDIR(status.st_mode);
    if (spec.other_account && (seteuid(0) != 0 || setegid(0) != 0)) return nullptr;
    if (folder) return spec.submit_dir;
  }
  for (char** variable = spec.environment; *variable != nullptr;) {
    const size_t length = strlen(kSubmitDirVariable);
    if (strncmp(*variable, kSubmitDirVariable, length) == 0 && (*variable)[length] == '=') {
      for (char** shift = variable; *shift != nullptr; ++shift) *shift = shift[1];
    } else {
      ++variable;
    }
  }
  if (mkdir(spec.own_dir, 0700) != 0 && errno != EEXIST) return nullptr;
  if (spec.other_account && lchown(spec.own_dir, spec.uid, spec.gid) != 0) return nullptr;
  return spec.own_dir;
}

int OpenStream(int folder, const char* name, const Spec& spec) {
  const int fd = openat(folder, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0 && spec.other_account && fchown(fd, spec.uid, spec.gid) != 0) return -1;
  return fd;
}

bool IsLate(const Spec& spec) { return WallMs() > spec.not_after_s * 1000; }

bool WasStopped() {
  sigset_t pending;
  return sigpending(&pending) == 0 &&
         (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, StopSignal()) == 1);
}

// One try of one part, from the lock to the record.
class Shepherd {
 public:
  explicit Shepherd(int folder) : folder_(folder) {}
  int Run(int news);

 private:
  int Refuse(const char* by, const char* format, ...) __attribute__((format(printf, 3, 4)));
  void NotRun(int error, int stderr_fd);
  int Record();

  const int folder_;
  int token_ = -1;
  Spec spec_;
  Ending ending_;
  char text_[1024] = "";
};

int Shepherd::Refuse(const char* by, const char* format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(text_, sizeof(text_), format, values);
  va_end(values);
  ending_ = Ending{.by = by, .ended_ms = WallMs(), .text = text_};
  return Record();
}

int Shepherd::Record() {
  RemoveGroups(spec_);
  for (char* c = text_; *c != '\0'; ++c) {
    if (*c == '\n') *c = ' ';
  }
  return WriteEnding(token_, ending_) ? kDone : kBadFolder;
}

// A command that cannot be executed is the user's error: the part counts as run and failed, as in a
// shell.
void Shepherd::NotRun(int error, int stderr_fd) {
  snprintf(text_, sizeof(text_), "cannot run '%.512s': %s", spec_.program, strerror(error));
  dprintf(stderr_fd, "muster: %s\n", text_);
  ending_.by = kByExit;
  ending_.code = error == ENOENT ? kCommandNotFound : kCommandNotRun;
  ending_.ended_ms = WallMs();
  ending_.text = text_;
}

int Shepherd::Run(int news) {
  const int signals = BlockSignals();
  token_ = TakeToken(folder_);
  if (token_ < 0) return kKeptOut;
  bool used = false;
  const char* wrong = ReadSpec(token_, &spec_, &used);
  if (used) return kKeptOut;
  WritePid(token_);
  if (signals < 0) return Refuse(kByNotStarted, "no signal descriptor: %s", strerror(errno));
  if (wrong != nullptr) {
    spec_.group_count = 0;
    return Refuse(kByNotStarted, "%s", wrong);
  }
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
    return Refuse(kByNotStarted, "cannot be a subreaper: %s", strerror(errno));
  MakeGroups(&spec_);
  const char* where = ChooseFolder(spec_);
  if (where == nullptr)
    return Refuse(kByNotStarted, "cannot make '%s': %s", spec_.own_dir, strerror(errno));
  const int out = OpenStream(folder_, kStdoutFile, spec_);
  const int err = OpenStream(folder_, kStderrFile, spec_);
  if (out < 0 || err < 0)
    return Refuse(kByNotStarted, "cannot open its output: %s", strerror(errno));
  if (WasStopped()) return Refuse(kByNotStarted, "released before its start");
  const int64_t started_ms = WallMs();
  const int64_t started_boot_ms = BootMs();
  if (IsLate(spec_)) return Refuse(kByLate, "its last start has passed");
  if (!MarkStarted(token_, started_ms))
    return Refuse(kByNotStarted, "cannot mark its start: %s", strerror(errno));
  const Launched launched = Launch(spec_, where, out, err);
  if (launched.step != nullptr)
    return Refuse(kByNotStarted, "cannot %s: %s", launched.step, strerror(launched.error));
  ending_.started_ms = started_ms;
  Teller teller(news, spec_.serial);
  teller.Started(started_ms);
  if (launched.error != 0) {
    NotRun(launched.error, err);
    return Record();
  }
  Home home = {.folder = folder_, .where = where, .stdout_fd = out, .stderr_fd = err};
  if (spec_.notice_arguments[0] == nullptr) {
    close(out);
    close(err);
    home.stdout_fd = home.stderr_fd = -1;
  }
  if (IsLate(spec_)) {
    ending_.by = kByStartedLate;
    ending_.text = "started after its last start, and killed";
  }
  Watch(spec_, home, signals, launched.pid, started_boot_ms, &teller, &ending_);
  return Record();
}

}  // namespace
}  // namespace muster::shepherd

int main(int argc, char** argv) {
  using namespace muster::shepherd;
  if (argc != 3) {
    fprintf(stderr, "usage: muster-shepherd FOLDER TOKEN\nmuster-sited starts it, one per part.\n");
    return kBadFolder;
  }
  setsid();
  const int news = KeepOnlyNews();
  const int folder = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return kBadFolder;
  return Shepherd(folder).Run(news);
}
