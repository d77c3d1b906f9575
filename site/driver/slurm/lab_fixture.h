// A driver on a real cluster, which SLURM_CONF chooses and tests/e2e/slurm_driver_test.py starts.
// MUSTER_SLURM_LAB is the folder of its clusters.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/io/system/clock.h"
#include "site/driver/slurm/slurm_driver.h"

namespace muster::driver::slurm {

inline std::string LabFolder() {
  const char* folder = std::getenv("MUSTER_SLURM_LAB");
  return folder == nullptr ? "" : folder;
}
inline std::string LabConf() {
  const char* conf = std::getenv("SLURM_CONF");
  return conf == nullptr ? "" : conf;
}

// What a command of Slurm's printed.
inline std::string Slurm(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  char piece[4096];
  while (const size_t got = fread(piece, 1, sizeof(piece), pipe)) text.append(piece, got);
  pclose(pipe);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

class Lab : public testing::Test {
 protected:
  void SetUp() override {
    if (LabFolder().empty() || LabConf().empty()) GTEST_SKIP() << "no cluster was started";
    shared_ =
        LabFolder() + "/shared-" + std::filesystem::path(LabConf()).parent_path().stem().string();
    ran_ = shared_ + "/ran";
    std::filesystem::create_directories(ran_);
    std::filesystem::permissions(ran_, std::filesystem::perms::all);
    CleanCluster();
    Open();
  }
  void TearDown() override {
    driver_.reset();
    if (LabFolder().empty()) return;
    CleanCluster();
    CheckRuns();
  }

  SlurmOptions Options() const {
    SlurmOptions options;
    options.conf = LabConf();
    options.shared_folder = shared_;
    options.prefix = "mu_TEST_";
    options.accounts = {{"ana", "daemon"}, {"nobody-knows", "deny"}, {"*", ""}};
    return options;
  }
  void Open() { Open(Options()); }
  void Open(const SlurmOptions& options) {
    driver_.reset();
    events_.clear();
    auto driver = SlurmDriver::Open(options);
    ASSERT_TRUE(driver.ok()) << driver.status();
    driver_ = *std::move(driver);
    driver_->Do(FindParts{});
    ASSERT_TRUE(Await([&] { return Count<Outside>() > 0; }));
  }

  static void CleanCluster() {
    Slurm("scancel --state=PENDING; scancel --state=RUNNING; scancel --state=SUSPENDED");
    Slurm(
        "for r in $(scontrol -o show reservation | sed -n 's/^ReservationName=\\([^ "
        "]*\\).*/\\1/p');"
        " do scontrol delete ReservationName=$r; done");
    for (int i = 0; i < 200 && !Slurm("squeue -h").empty(); ++i) Sleep(50);
    // A controller that was killed gives ids out again, and drains nodes that remember them.
    Slurm(
        "for n in $(sinfo -h -N -t drain -o %N | sort -u);"
        " do scontrol update NodeName=$n State=RESUME; done");
  }
  static void Sleep(int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }
  Moment Now() const { return clock_->Read().wall; }
  Instant InSeconds(int64_t n) const { return Now().Ceiling() + Span{n}; }

  std::string NewToken() {
    static int number = 0;
    return "T" + std::to_string(Now().milliseconds) + "." + std::to_string(++number);
  }
  std::string Node(int i) const { return driver_->facts().nodes.at(i - 1).name; }

  // Runs `command` in sh, after it has noted when it began.
  StartPart PartOf(const std::string& token, int node, int64_t ncpus, Instant at, Span walltime,
                   const std::string& command) const {
    StartPart part{.token = token, .part_name = "p" + token, .user = "ana"};
    part.payload.argv = {"/bin/sh", "-c", "date +%s%3N >> " + ran_ + "/" + token + "; " + command};
    schemas::ChunkPlace chunk{.node = Node(node)};
    chunk.resources.Set("ncpus", ncpus);
    part.place.chunks = {chunk};
    part.not_before = at;
    part.not_after = at + Span{20};
    part.walltime = walltime;
    return part;
  }
  PutWall WallOf(const std::string& name, int node, int64_t ncpus, Interval when) const {
    PutWall wall{.wall = "mu_TEST_" + name, .serial = 7, .when = when, .user = "ana"};
    schemas::ChunkPlace chunk{.node = Node(node)};
    chunk.resources.Set("ncpus", ncpus);
    wall.places = {{.chunks = {chunk}}};
    return wall;
  }

  void Poll() {
    if (driver_ == nullptr) return;
    for (Event& event : driver_->Take()) events_.push_back(std::move(event));
  }
  bool Await(const std::function<bool()>& holds, int64_t ms = 30'000) {
    const int64_t until = Now().milliseconds + ms;
    while (Now().milliseconds < until) {
      Poll();
      if (holds()) return true;
      Sleep(5);
    }
    return false;
  }
  template <class Kind>
  int Count() const {
    int count = 0;
    for (const Event& event : events_) count += std::holds_alternative<Kind>(event);
    return count;
  }
  // The first event of this kind about the token; null: none yet.
  template <class Kind>
  const Kind* Of(const std::string& token) const {
    for (const Event& event : events_) {
      if (const auto* kind = std::get_if<Kind>(&event); kind && kind->token == token) return kind;
    }
    return nullptr;
  }
  template <class Kind>
  const Kind* OfWall(const std::string& wall) const {
    for (const Event& event : events_) {
      if (const auto* kind = std::get_if<Kind>(&event); kind && kind->wall == "mu_TEST_" + wall)
        return kind;
    }
    return nullptr;
  }
  template <class Kind>
  const Kind* AwaitOf(const std::string& token, int64_t ms = 40'000) {
    Await([&] { return Of<Kind>(token) != nullptr; }, ms);
    return Of<Kind>(token);
  }

  int Runs(const std::string& token) const {
    std::ifstream file(ran_ + "/" + token);
    std::string line;
    int count = 0;
    while (std::getline(file, line)) ++count;
    return count;
  }
  // By how many milliseconds its command began after `at`, by the command's own clock.
  int64_t BeganAfter(const std::string& token, Instant at) const {
    std::ifstream file(ran_ + "/" + token);
    int64_t began = 0;
    EXPECT_TRUE(file >> began) << token;
    return began - ToMoment(at).milliseconds;
  }
  // Nothing ever ran twice.
  void CheckRuns() const {
    int tokens = 0, doubles = 0;
    for (const auto& entry : std::filesystem::directory_iterator(ran_)) {
      ++tokens;
      if (Runs(entry.path().filename().string()) > 1) {
        ++doubles;
        ADD_FAILURE() << entry.path().filename() << " ran " << Runs(entry.path().filename());
      }
    }
    std::printf("[ counted  ] %d tokens ran, %d double starts\n", tokens, doubles);
  }

  static int64_t PidOf(const std::string& daemon) {
    std::ifstream file(std::filesystem::path(LabConf()).parent_path() / (daemon + ".pid"));
    int64_t pid = -1;
    file >> pid;
    return pid;
  }
  static int64_t ControllerPid() { return PidOf("slurmctld"); }
  static std::string JobOf(const std::string& token) {
    return Slurm("squeue -h -o %i -n mu_TEST_" + token);
  }

  const std::unique_ptr<io::Clock> clock_ = io::SystemClock();
  std::string shared_, ran_;
  std::unique_ptr<SlurmDriver> driver_;
  std::vector<Event> events_;
};

}  // namespace muster::driver::slurm
