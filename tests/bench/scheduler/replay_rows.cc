// Replays through the real cores over an ideal link: the three classic logs as one federation,
// where MUSTER_TRACES names the folder of traces, and a million jobs of the Lublin-Feitelson model
// on ten sites, of which the peak of memory counts. The reference of the first is one flat array
// for each site, each job booked where its request fits first, for as long as it really ran: what
// anybody would write first. That of the second is the memory of the jobs themselves.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "sim/replay/replay_run.h"
#include "tests/bench/planner/flat_profile.h"
#include "tests/bench/scheduler/bench.h"

namespace muster::bench {
namespace {

constexpr size_t kJobs = 1'000'000;
constexpr int64_t kLublinProcessors = 256;
constexpr uint32_t kLublinSites = 10;

sim::RunSettings Classic(const std::string& traces) {
  sim::RunSettings out{.name = "fed3",
                       .trace = traces + "/fed-classic3-ctc-kth-sdsc.swf.gz",
                       .sites = {"ctc=flat:338", "kth=flat:100", "sdsc=flat:128"}};
  return out;
}

double ReplaySeconds(const std::string& traces) {
  return BestSeconds(
      1, [] {},
      [&traces] {
        const auto run = sim::RunReplay(Classic(traces), nullptr);
        MUSTER_CHECK(run.ok() && run->result.violations.empty());
        MUSTER_CHECK(run->figures.all.kept == run->figures.all.jobs);
      });
}

double FlatSeconds(const std::string& traces) {
  const auto text = sim::ReadPacked(traces + "/fed-classic3-ctc-kth-sdsc.swf.gz");
  MUSTER_CHECK(text.ok());
  const auto trace = sim::ParseSwf("fed3", *text);
  MUSTER_CHECK(trace.ok());
  return BestSeconds(
      1, [] {},
      [&trace] {
        const std::vector<int64_t> sizes = {338, 100, 128};
        std::vector<FlatProfile> sites;
        for (const int64_t size : sizes) sites.emplace_back(size);
        for (const sim::SwfJob& job : trace->jobs) {
          size_t best = sizes.size();
          int64_t start = INT64_MAX;
          for (size_t s = 0; s < sizes.size(); ++s) {
            if (job.processors > sizes[s]) continue;
            const int64_t t = sites[s].EarliestFit(job.processors, job.asked, job.submitted);
            if (t < start) {
              best = s;
              start = t;
            }
          }
          if (best < sizes.size()) sites[best].Add(start, start + job.ran, job.processors);
        }
        Keep(sites.size());
      });
}

// "VmHWM" or "VmRSS" of this process, in MB.
double Megabytes(const std::string& word) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(word + ":"))
      return std::strtod(line.c_str() + word.size() + 1, nullptr) / 1024;
  }
  return 0;
}

// From here on the peak counts anew.
void ForgetPeak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5";
}

sim::Lublin Model() {
  return {.jobs = kJobs, .processors = kLublinProcessors, .homes = kLublinSites};
}

double LublinPeak() {
  sim::RunSettings settings{.name = "lublin"};
  settings.model = Model();
  settings.load = 0.8;
  for (uint32_t s = 0; s < kLublinSites; ++s) {
    settings.sites.push_back("s" + std::to_string(s) +
                             "=flat:" + std::to_string(kLublinProcessors));
  }
  ForgetPeak();
  const auto run = sim::RunReplay(settings, nullptr);
  MUSTER_CHECK(run.ok() && run->result.violations.empty());
  MUSTER_CHECK(run->figures.all.started == kJobs);
  return Megabytes("VmHWM");
}

double LublinJobs() {
  const double before = Megabytes("VmRSS");
  const sim::SwfTrace trace = sim::LublinTrace(Model(), 1);
  Keep(trace.jobs.size());
  return Megabytes("VmRSS") - before;
}

}  // namespace

std::vector<Row> ReplayRows() {
  std::vector<Row> out;
  if (const char* folder = std::getenv("MUSTER_TRACES")) {
    const std::string traces = folder;
    out.push_back({"replay_fed3", "s", Bounds{60, 15}, [traces] { return ReplaySeconds(traces); },
                   [traces] { return FlatSeconds(traces); }});
  } else {
    std::fprintf(stderr, "bench: MUSTER_TRACES is unset, so there is no row replay_fed3\n");
  }
  out.push_back({"lublin_1m", "MB", Bounds{4096, 1024}, LublinPeak, LublinJobs});
  return out;
}

}  // namespace muster::bench
