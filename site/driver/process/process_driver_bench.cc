// Measures how many parts per second one driver starts and ends: site_driver_process_bench [PARTS
// [AT_ONCE [nocgroups]]], in a new folder below the temporary directory. Each part runs `true`.
#include <poll.h>
#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "site/driver/process/process_driver.h"

namespace {

using namespace muster;
using namespace muster::driver;

double SecondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

StartPart Part(int number) {
  StartPart part{.token = "1." + std::to_string(number) + ".1.1",
                 .part_name = std::to_string(number) + ".1",
                 .user = "bench",
                 .place = {.index = 1, .chunks = {{.node = "n1", .resources = {{"ncpus", 1}}}}},
                 .not_after = kFarFuture,
                 .walltime = Span{600}};
  part.payload.argv = {"true"};
  part.payload.environment = {{"HOME", "/tmp"}, {"PATH", "/usr/bin:/bin"}};
  part.payload.submit_dir = "/tmp";
  for (int i = 0; i < 12; ++i) part.environment["MUSTER_BENCH_" + std::to_string(i)] = "some value";
  return part;
}

int Run(int parts, int at_once, bool cgroups) {
  const std::string state =
      std::filesystem::temp_directory_path() / ("muster-bench-" + std::to_string(getpid()));
  auto driver = ProcessDriver::Open({.state_dir = state, .cgroups = cgroups});
  if (!driver.ok()) {
    std::fprintf(stderr, "%s\n", std::string(Text(driver.status())).c_str());
    return 1;
  }
  std::printf("%s\n", (*driver)->LimitsNote().c_str());
  int started = 0, ended = 0, failed = 0;
  double in_driver = 0;
  const double begin = SecondsOf(CLOCK_MONOTONIC);
  while (ended < parts) {
    const double busy = SecondsOf(CLOCK_MONOTONIC);
    while (started < parts && started - ended < at_once) (*driver)->Do(Part(++started));
    for (const Event& event : (*driver)->Take()) {
      std::string over;
      if (const auto* end = std::get_if<PartEnded>(&event)) {
        over = end->token;
        failed += end->end.exit_code != 0;
      }
      if (const auto* none = std::get_if<PartNotStarted>(&event)) over = none->token, ++failed;
      if (over.empty()) continue;
      ++ended;
      (*driver)->Do(ForgetPart{over});
    }
    in_driver += SecondsOf(CLOCK_MONOTONIC) - busy;
    pollfd wait = {(*driver)->EventFd(), POLLIN, 0};
    if (started == parts || started - ended >= at_once) poll(&wait, 1, 1000);
  }
  const double took = SecondsOf(CLOCK_MONOTONIC) - begin;
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  std::printf(
      "%d parts, %d at once, %d failed: %.0f starts/s; the driver's thread %.0f us a part\n", parts,
      at_once, failed, parts / took, in_driver / parts * 1e6);
  driver->reset();
  std::error_code error;
  std::filesystem::remove_all(state, error);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return Run(argc > 1 ? std::atoi(argv[1]) : 3000, argc > 2 ? std::atoi(argv[2]) : 32,
             argc <= 3 || std::strcmp(argv[3], "nocgroups") != 0);
}
