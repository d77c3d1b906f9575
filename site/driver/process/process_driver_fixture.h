// For tests of the process driver: a state folder, a driver on it, and waiting for events with a
// time limit instead of sleeping.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "site/driver/process/process_driver.h"

namespace muster::driver::testing {

inline int64_t MillisecondsNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}
inline Instant WallSecond() { return {time(nullptr)}; }

inline std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Polls a condition that gives no notification when it becomes true. False after `within_ms`.
inline bool Eventually(const std::function<bool()>& condition, int64_t within_ms = 10'000) {
  const int64_t until = MillisecondsNow() + within_ms;
  while (!condition()) {
    if (MillisecondsNow() > until) return false;
    poll(nullptr, 0, 5);
  }
  return true;
}

// Whether the process runs; false for a zombie.
inline bool IsAlive(pid_t pid) {
  const std::string stat = ReadAll("/proc/" + std::to_string(pid) + "/stat");
  const size_t bracket = stat.rfind(')');
  return bracket != std::string::npos && bracket + 2 < stat.size() && stat[bracket + 2] != 'Z';
}

inline std::string BinFolder() {
  if (const char* folder = getenv("MUSTER_BIN_DIR")) return folder;
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../bin").string();
}

// A temporary folder, removed at the end.
class StateFolder {
 public:
  StateFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "muster-driver-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    chmod(path_.c_str(), 0755);
  }
  ~StateFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }
  // Waits up to 10 s until a file that a part writes ends with a newline; returns its content.
  std::string Await(const std::string& name) const {
    const std::string file = path_ + "/" + name;
    Eventually([&] { return ReadAll(file).ends_with('\n'); });
    return ReadAll(file);
  }

 private:
  std::string path_;
};

// A part that runs `text` with /bin/sh in `folder`, on one node with four processors.
inline StartPart Shell(const std::string& token, const std::string& text,
                       const std::string& folder) {
  StartPart part{.token = token,
                 .part_name = "42." + token,
                 .user = "kim",
                 .place = {.index = 1, .chunks = {{.node = "n1", .resources = {{"ncpus", 4}}}}},
                 .not_after = WallSecond() + Span{60},
                 .walltime = Span{60}};
  part.payload.argv = {"sh", "-c", text};
  part.payload.submit_dir = folder;
  return part;
}

class RunningDriver {
 public:
  explicit RunningDriver(const StateFolder& state, ProcessOptions options = {}) {
    options.state_dir = state.path() + "/state";
    options.shepherd = BinFolder() + "/muster-shepherd";
    absl::StatusOr<std::unique_ptr<ProcessDriver>> opened = ProcessDriver::Open(std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status();
    driver_ = *std::move(opened);
  }
  ProcessDriver& operator*() { return *driver_; }
  ProcessDriver* operator->() { return driver_.get(); }

  // The next event of this kind for this token; other events are kept. None after `within_ms`.
  template <class Kind>
  std::optional<Kind> Next(const std::string& token, int64_t within_ms = 10'000) {
    const int64_t until = MillisecondsNow() + within_ms;
    for (;;) {
      for (auto event = events_.begin(); event != events_.end(); ++event) {
        const Kind* kind = std::get_if<Kind>(&*event);
        if (kind == nullptr || TokenOf(*kind) != token) continue;
        Kind found = *kind;
        events_.erase(event);
        return found;
      }
      const int64_t left = until - MillisecondsNow();
      if (left <= 0) return std::nullopt;
      pollfd wait = {driver_->EventFd(), POLLIN, 0};
      poll(&wait, 1, static_cast<int>(left));
      for (Event& event : driver_->Take()) events_.push_back(std::move(event));
    }
  }
  // Runs the part and waits for its end.
  PartEnded Run(const StartPart& part) {
    driver_->Do(part);
    const std::optional<PartEnded> ended = Next<PartEnded>(part.token);
    EXPECT_TRUE(ended.has_value()) << part.token << " did not end";
    return ended.value_or(PartEnded{});
  }
  schemas::OutputView Read(const std::string& part_name, uint64_t offset = 0, size_t limit = 4096,
                           bool error_stream = false) {
    driver_->Do(ReadOutput{.inspection = 1,
                           .part_name = part_name,
                           .error_stream = error_stream,
                           .offset = offset,
                           .limit = limit});
    return Next<OutputRead>("")->view;
  }

 private:
  template <class Kind>
  static std::string TokenOf(const Kind& event) {
    if constexpr (std::is_same_v<Kind, OutputRead>) {
      return "";
    } else {
      return event.token;
    }
  }

  std::unique_ptr<ProcessDriver> driver_;
  std::vector<Event> events_;
};

}  // namespace muster::driver::testing
