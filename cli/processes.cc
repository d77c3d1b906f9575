// Processes of a local federation. A pid counts only while its process runs the daemon's program
// with the daemon's configuration, so a reused pid is never mistaken for it.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/context.h"
#include "cli/local.h"

extern char** environ;

namespace muster::cli {
namespace {

constexpr std::chrono::milliseconds kProcessAgain{20};  // poll interval of daemons that end
constexpr std::chrono::milliseconds kArgumentLook{1};
constexpr int kArgumentLooks = 200;
constexpr std::chrono::seconds kTermWait{10};
constexpr std::chrono::seconds kKillWait{3};
constexpr char kShepherd[] = "muster-shepherd";

std::string ReadSmall(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::string ProgramOf(pid_t pid) {
  char path[PATH_MAX];
  const std::string link = fmt::format("/proc/{}/exe", pid);
  const ssize_t size = readlink(link.c_str(), path, sizeof(path));
  if (size <= 0) return "";
  std::string_view whole(path, static_cast<size_t>(size));
  // The file of a running daemon may have been replaced by a new build.
  constexpr std::string_view kDeleted = " (deleted)";
  if (whole.ends_with(kDeleted)) whole.remove_suffix(kDeleted.size());
  return std::string(whole.substr(whole.find_last_of('/') + 1));
}

// The arguments of a process without its name; empty for a zombie.
std::vector<std::string> ArgumentsOf(pid_t pid) {
  const std::string line = ReadSmall(fmt::format("/proc/{}/cmdline", pid));
  std::vector<std::string> arguments;
  for (size_t begin = 0; begin < line.size();) {
    const size_t end = std::min(line.find('\0', begin), line.size());
    arguments.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!arguments.empty()) arguments.erase(arguments.begin());
  return arguments;
}

bool Wait(const std::vector<LocalDaemon>& daemons, std::chrono::seconds wait) {
  const auto until = std::chrono::steady_clock::now() + wait;
  while (true) {
    // Reaps daemons that this process started.
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const bool running = std::any_of(daemons.begin(), daemons.end(), [](const LocalDaemon& daemon) {
      return RunningPid(daemon).has_value();
    });
    if (!running) return true;
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(kProcessAgain);
  }
}

void Signal(const std::vector<LocalDaemon>& daemons, int signal) {
  for (const LocalDaemon& daemon : daemons) {
    if (const auto pid = RunningPid(daemon)) kill(*pid, signal);
  }
}

}  // namespace

std::optional<pid_t> RunningPid(const LocalDaemon& daemon) {
  std::istringstream text(ReadSmall(daemon.pid_file()));
  pid_t pid = 0;
  if (!(text >> pid) || pid <= 1) return std::nullopt;
  // Just after its start, a process already has its program but not yet its arguments.
  for (int look = 0; look < kArgumentLooks && ProgramOf(pid) == daemon.program; ++look) {
    const std::vector<std::string> arguments = ArgumentsOf(pid);
    if (!arguments.empty()) {
      const auto ours = std::find(arguments.begin(), arguments.end(), daemon.config());
      return ours != arguments.end() ? std::optional(pid) : std::nullopt;
    }
    std::this_thread::sleep_for(kArgumentLook);
  }
  return std::nullopt;
}

std::optional<Failure> MissingProgram(const std::vector<LocalDaemon>& daemons) {
  for (const LocalDaemon& daemon : daemons) {
    const std::string program = ProgramFolder() + "/" + daemon.program;
    if (access(program.c_str(), X_OK) == 0) continue;
    return Fail("internal", "cannot run " + program + ": " + strerror(errno),
                "it belongs beside this program");
  }
  return std::nullopt;
}

namespace {

// Starts a program of this one's folder in a session of its own; `how`: whether the log goes on or
// begins anew (O_APPEND, O_TRUNC). Sets `pid`.
std::optional<Failure> Spawn(const std::string& name, const std::vector<std::string>& words,
                             const std::string& log, int how, pid_t& pid) {
  const std::string program = ProgramFolder() + "/" + name;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | how,
                                   S_IRUSR | S_IWUSR);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigfillset(&defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  std::vector<std::string> copies = {name};
  copies.insert(copies.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return Fail("internal", "cannot start " + program + ": " + strerror(error));
  return std::nullopt;
}

}  // namespace

std::optional<Failure> RunProgram(const std::string& program, const std::vector<std::string>& words,
                                  const std::string& log) {
  constexpr size_t kTailLines = 4;
  pid_t pid = 0;
  if (auto failure = Spawn(program, words, log, O_TRUNC, pid)) return failure;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  Failure failure = Fail("internal", program + " " + words.front() + " failed",
                         "what it said is in " + HomeShown(log));
  failure.diagnostic.notes = LogTail(log, kTailLines);
  return failure;
}

std::optional<Failure> StartDaemon(const LocalDaemon& daemon) {
  pid_t pid = 0;
  if (auto failure =
          Spawn(daemon.program, {"--config", daemon.config()}, daemon.log(), O_APPEND, pid)) {
    return failure;
  }
  std::ofstream file(daemon.pid_file(), std::ios::trunc);
  file << pid << '\n';
  file.close();
  if (!file) {
    kill(pid, SIGTERM);
    return Fail("internal", "cannot write " + daemon.pid_file());
  }
  return std::nullopt;
}

bool StopDaemons(const std::vector<LocalDaemon>& daemons) {
  Signal(daemons, SIGTERM);
  if (!Wait(daemons, kTermWait)) {
    Signal(daemons, SIGKILL);
    if (!Wait(daemons, kKillWait)) return false;
  }
  for (const LocalDaemon& daemon : daemons) unlink(daemon.pid_file().c_str());
  return true;
}

size_t StopShepherds(const std::string& folder) {
  size_t count = 0;
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return 0;
  while (const dirent* entry = readdir(processes)) {
    const pid_t pid = static_cast<pid_t>(strtol(entry->d_name, nullptr, 10));
    if (pid <= 1 || ProgramOf(pid) != kShepherd) continue;
    const std::vector<std::string> arguments = ArgumentsOf(pid);  // the first is the part's folder
    if (arguments.empty() || !arguments.front().starts_with(folder + "/")) continue;
    if (kill(pid, SIGTERM) == 0) ++count;
  }
  closedir(processes);
  return count;
}

std::vector<std::string> LogTail(const std::string& path, size_t lines) {
  constexpr std::streamoff kTailBytes = 16384;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<std::string> tail;
  if (!file) return tail;
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTailBytes));
  for (std::string line; std::getline(file, line);) tail.push_back(line);
  if (tail.size() > lines)
    tail.erase(tail.begin(), tail.end() - static_cast<std::ptrdiff_t>(lines));
  return tail;
}

}  // namespace muster::cli
