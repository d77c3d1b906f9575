// Reads terminal, wall clock and environment of this process; no other file here does.
#include "cli/context.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <pwd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/json.h"

namespace muster::cli {
namespace {

volatile sig_atomic_t interrupted = 0;

size_t TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return views::kPageWidth;
}

bool LocaleIsUtf8() {
  setlocale(LC_CTYPE, "");
  return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int32_t LocalOffset(int64_t seconds) {
  const time_t time = static_cast<time_t>(seconds);
  tm local{};
  localtime_r(&time, &local);
  return static_cast<int32_t>(local.tm_gmtoff);
}

}  // namespace

Expect<Context> Context::Of(const Given& given) {
  Context context;
  context.json = given.Has("--json");
  context.quiet = given.Has("-q");
  context.utc = given.Has("--utc");
  context.federation = given.Maybe("--federation");
  context.via = given.Maybe("--via");
  context.config_path = given.Maybe("--config");
  context.terminal_out = isatty(STDOUT_FILENO) == 1;
  context.terminal_err = isatty(STDERR_FILENO) == 1;
  context.terminal_in = isatty(STDIN_FILENO) == 1;
  if (given.Has("--color")) {
    const std::string& word = given.Value("--color");
    if (word == "auto") {
      context.color = config::ColorChoice::kAuto;
    } else if (word == "always") {
      context.color = config::ColorChoice::kAlways;
    } else if (word == "never") {
      context.color = config::ColorChoice::kNever;
    } else {
      return UsageError("--color " + word + ": unknown choice", "auto, always or never");
    }
  }
  return context;
}

void Context::Prefer(const config::UserConfig& config) {
  if (!color) color = config.color;
  utc = utc || config.utc;
}

views::ViewOptions Context::View() const {
  views::ViewOptions options;
  options.now = WallNow().Floor();
  options.width = terminal_out ? TerminalWidth() : 0;
  options.unicode = LocaleIsUtf8();
  if (!utc) options.zone = LocalZone(options.now);
  const auto choice = color.value_or(config::ColorChoice::kAuto);
  const std::string term = Environment("TERM").value_or("dumb");
  const bool automatic = terminal_out && !Environment("NO_COLOR") && term != "dumb";
  options.color =
      choice == config::ColorChoice::kAlways || (choice == config::ColorChoice::kAuto && automatic);
  return options;
}

Moment WallNow() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return Moment{int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000};
}

text::Zone LocalZone(Instant now) {
  constexpr int64_t kDay = 86400;
  constexpr int64_t kDaysBack = 35;
  constexpr int64_t kDaysAhead = 400;
  tzset();
  int64_t before = now.seconds - kDaysBack * kDay;
  int32_t offset = LocalOffset(before);
  const Span first{offset};
  std::vector<text::Zone::Change> changes;
  for (int64_t day = -kDaysBack; day < kDaysAhead; ++day) {
    const int64_t at = now.seconds + (day + 1) * kDay;
    const int32_t next = LocalOffset(at);
    if (next != offset) {
      int64_t low = before;
      int64_t high = at;  // the change of offset lies in (low, high]
      while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        (LocalOffset(middle) == offset ? low : high) = middle;
      }
      changes.push_back({Instant{high}, Span{next}});
      offset = next;
    }
    before = at;
  }
  return text::Zone(first, std::move(changes));
}

std::optional<std::string> Environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

namespace {

std::string HomeFolder() {
  if (auto home = Environment("HOME")) return *home;
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "/";
}

}  // namespace

std::string HomeShown(const std::string& path) {
  const std::string home = HomeFolder();
  if (home.size() > 1 && path.starts_with(home + "/")) return "~" + path.substr(home.size());
  return path;
}

std::string ConfigFolder() {
  const auto base = Environment("XDG_CONFIG_HOME");
  return (base ? *base : HomeFolder() + "/.config") + "/muster";
}

std::string StateFolder() {
  const auto base = Environment("XDG_STATE_HOME");
  return (base ? *base : HomeFolder() + "/.local/state") + "/muster";
}

std::string LoginName() {
  const passwd* entry = getpwuid(getuid());
  if (entry != nullptr && entry->pw_name != nullptr && *entry->pw_name != '\0')
    return entry->pw_name;
  return "user" + std::to_string(getuid());
}

std::string ProgramFolder() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  if (size <= 0) return ".";
  const std::string_view whole(path, static_cast<size_t>(size));
  return std::string(whole.substr(0, whole.find_last_of('/')));
}

Expect<std::string> ReadTextFile(const std::string& path, const std::string& code) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad()) {
    const int error = errno;
    return Fail(code, "cannot read '" + path + "': " + std::strerror(error == 0 ? EISDIR : error));
  }
  return text.str();
}

void Print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    std::fprintf(stderr, "muster: cannot write: %s\n", std::strerror(errno));
    std::_Exit(kExitInternal);
  }
}

void Say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void Warn(std::string_view text) { Say("muster: " + std::string(text) + '\n'); }

bool Agreed(std::string_view question) {
  Say(std::string(question) + " [y/N] ");
  std::string line;
  if (!std::getline(std::cin, line)) Say("\n");
  return line == "y" || line == "Y" || line == "yes";
}

void PrintJson(const Json& document, bool line) { Print(JsonText(document, !line) + '\n'); }

void CatchInterrupt() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = 1; };
  sigemptyset(&action.sa_mask);
  // The second Ctrl-C ends the process as usual.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

bool Interrupted() { return interrupted != 0; }

}  // namespace muster::cli
