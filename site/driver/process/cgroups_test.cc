// Which limits of a part go into which cgroup of either version, and, if the machine allows this
// process to use cgroups, that they take effect.
#include "site/driver/process/cgroups.h"

#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "site/driver/process/process_driver_fixture.h"

namespace muster::driver {
namespace {

using namespace testing;

TEST(Cgroups, LimitsGoWhereTheControllersAre) {
  const Cgroups mixed({{.path = "/u", .unified = true},
                       {.path = "/m", .memory = true},
                       {.path = "/c", .cpu = true}},
                      "");
  const ResourceSet machine{{"ncpus", 8}, {"mem", 1000}};
  EXPECT_EQ(mixed.GroupsFor("t", {{"ncpus", 2}, {"mem", 500}}, machine),
            (std::vector<PartGroup>{{.path = "/u/t", .unified = true},
                                    {.path = "/m/t", .limits = {{"memory.limit_in_bytes", "500"}}},
                                    {.path = "/c/t", .limits = {{"cpu.cfs_quota_us", "200000"}}}}));
  const Cgroups second({{.path = "/u", .unified = true, .memory = true, .cpu = true}}, "");
  EXPECT_EQ(
      second.GroupsFor("t", {{"ncpus", 2}, {"mem", 500}}, machine),
      (std::vector<PartGroup>{{.path = "/u/t",
                               .unified = true,
                               .limits = {{"memory.max", "500"}, {"cpu.max", "200000 100000"}}}}));
}

TEST(Cgroups, APartHasAGroupThatItCanBePausedBy) {
  const ResourceSet machine{{"ncpus", 8}};
  const Cgroups first({{.path = "/c", .cpu = true}, {.path = "/f", .freezer = true}}, "");
  EXPECT_EQ(first.GroupsFor("t", {{"ncpus", 2}}, machine),
            (std::vector<PartGroup>{{.path = "/c/t", .limits = {{"cpu.cfs_quota_us", "200000"}}},
                                    {.path = "/f/t"}}));
  const Cgroups alone({{.path = "/f", .freezer = true}, {.path = "/c", .cpu = true}}, "");
  EXPECT_EQ(alone.GroupsFor("t", {{"ncpus", 8}}, machine),
            (std::vector<PartGroup>{{.path = "/f/t"}}));
  const Cgroups mixed({{.path = "/u", .unified = true}, {.path = "/f", .freezer = true}}, "");
  EXPECT_EQ(mixed.GroupsFor("t", {{"ncpus", 8}}, machine),
            (std::vector<PartGroup>{{.path = "/u/t", .unified = true}}));
}

// A made tree of files: what is left of a part that was paused in a version 1 group.
TEST(Cgroups, WhatWasPausedIsKilledAndThenThawed) {
  StateFolder folder;
  const std::string group = folder.path() + "/t";
  std::filesystem::create_directory(group);
  const pid_t left = fork();
  if (left == 0) {
    pause();
    _exit(0);
  }
  std::ofstream(group + "/cgroup.procs") << left << "\n";
  std::ofstream(group + "/freezer.state") << "FROZEN\n";
  EXPECT_TRUE(KillLeftIn({{.path = group}}));
  EXPECT_EQ(ReadAll(group + "/freezer.state"), "THAWED\n");
  int status = 0;
  EXPECT_EQ(waitpid(left, &status, 0), left);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(Cgroups, ALimitThatIsTheWholeMachineIsLeftOut) {
  const Cgroups first({{.path = "/m", .memory = true}, {.path = "/c", .cpu = true}}, "");
  EXPECT_TRUE(Cgroups({{.path = "/u", .unified = true, .cpu = true}}, "")
                  .GroupsFor("t", {{"ncpus", 8}}, {{"ncpus", 8}})
                  .front()
                  .limits.empty());
  EXPECT_EQ(first.GroupsFor("t", {{"ncpus", 1}}, {{"ncpus", 8}}).size(), 1u);
  EXPECT_TRUE(Cgroups().GroupsFor("t", {{"ncpus", 1}}, {{"ncpus", 8}}).empty());
}

TEST(Cgroups, APartIsLimitedOrTheNoteSaysWhyNot) {
  StateFolder folder;
  RunningDriver driver(folder);
  // The group belongs to the version 1 memory controller, or is the version 2 group.
  StartPart part =
      Shell("a",
            "sed -n -e 's|^[0-9]*:memory:|/sys/fs/cgroup/memory|p' -e 's|^0::|/sys/fs/cgroup|p' "
            "/proc/self/cgroup | while read group; do "
            "cat $group/memory.limit_in_bytes $group/memory.max 2>/dev/null; done",
            folder.path());
  part.place.chunks.front().resources.Set("mem", 64 << 20);
  driver.Run(part);
  const std::string output = driver.Read(part.part_name, 0, 65536).data;
  if (driver->LimitsNote().find("limit mem") == std::string::npos) {
    EXPECT_NE(driver->LimitsNote().find(": "), std::string::npos) << driver->LimitsNote();
    GTEST_SKIP() << driver->LimitsNote();
  }
  EXPECT_NE(output.find("67108864\n"), std::string::npos) << output;
  // No group is left.
  EXPECT_EQ(system("find /sys/fs/cgroup -type d -path '*muster-*' -name a 2>/dev/null | grep -q ."),
            256);
}

TEST(Cgroups, APartThatWantsMoreMemoryThanItBookedIsEnded) {
  StateFolder folder;
  RunningDriver driver(folder);
  if (driver->LimitsNote().find("limit mem") == std::string::npos)
    GTEST_SKIP() << driver->LimitsNote();
  StartPart part =
      Shell("a", "x=muster; i=0; while [ $i -lt 25 ]; do x=$x$x; i=$((i+1)); done", folder.path());
  part.place.chunks.front().resources.Set("mem", 16 << 20);
  const PartEnded ended = driver.Run(part);
  EXPECT_EQ(ended.end.signal, SIGKILL);
}

}  // namespace
}  // namespace muster::driver
