// Packing: 10,000 requests as one block, on one machine of 1,024 processors and on three that have
// 1,024 together. Requests ask for 1 to 256 processors, small ones more often, for a minute to two
// days, log-uniform. The reference is conservative backfilling on a flat array, on one machine: the
// simplest of the algorithms as anybody would write it first.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "meta/search/packing/packing.h"
#include "tests/bench/planner/flat_profile.h"
#include "tests/bench/scheduler/bench.h"

namespace muster::bench {
namespace {

using packing::Algorithm;

constexpr size_t kRequests = 10'000;
constexpr int64_t kProcessors = 1024;
constexpr int64_t kLargest = 256;

struct Request {
  int64_t processors;
  int64_t length;
};

std::vector<Request> Draw() {
  Random random(7);
  const auto log_uniform = [&random](double least, double most) {
    const double share = static_cast<double>(random.Below(1u << 30)) / (1u << 30);
    return static_cast<int64_t>(least * std::pow(most / least, share));
  };
  std::vector<Request> out;
  for (size_t i = 0; i < kRequests; ++i) {
    out.push_back({log_uniform(1, kLargest + 1), log_uniform(60, 2 * 86400)});
  }
  return out;
}

packing::Problem ProblemOn(const std::vector<int64_t>& sites) {
  packing::Problem out{.now = Instant{0}};
  for (size_t s = 0; s < sites.size(); ++s) {
    const std::string name(1, static_cast<char>('a' + s));
    out.bins.push_back(packing::Bin(name, {{"ncpus", sites[s]}}, out.now));
  }
  for (const Request& request : Draw()) {
    packing::Part part;
    for (size_t s = 0; s < sites.size(); ++s) {
      part.choices.push_back(
          {.bin = s, .amounts = {{"ncpus", request.processors}}, .length = Span{request.length}});
    }
    out.entries.push_back({.duration = Span{request.length},
                           .allowed = IntervalSet::From(out.now),
                           .parts = {std::move(part)}});
  }
  return out;
}

double Milliseconds(Algorithm algorithm, const std::vector<int64_t>& sites) {
  const packing::Problem problem = ProblemOn(sites);
  return 1e3 * BestSeconds(
                   5, [] {},
                   [&] {
                     const packing::Schedule schedule = packing::Pack(algorithm, problem);
                     for (const auto& place : schedule) MUSTER_CHECK(place.has_value());
                   });
}

std::vector<std::pair<std::string, std::vector<int64_t>>> Settings() {
  return {{"one", {kProcessors}}, {"three", {512, 256, 256}}};
}

double Slowest() {
  double out = 0;
  for (const auto& [name, sites] : Settings()) {
    for (const Algorithm algorithm : packing::kAlgorithms) {
      out = std::max(out, Milliseconds(algorithm, sites));
    }
  }
  return out;
}

double Reference() {
  const std::vector<Request> requests = Draw();
  return 1e3 * BestSeconds(
                   1, [] {},
                   [&requests] {
                     FlatProfile used(kProcessors);
                     for (const Request& r : requests) {
                       const int64_t t = used.EarliestFit(r.processors, r.length, 0);
                       used.Add(t, t + r.length, r.processors);
                     }
                     Keep(used.size());
                   });
}

}  // namespace

std::vector<Row> PackRows() {
  std::vector<Row> out = {{"pack_10k", "ms", Bounds{50, 5}, Slowest, Reference}};
  for (const auto& [name, sites] : Settings()) {
    for (const Algorithm algorithm : packing::kAlgorithms) {
      out.push_back(
          {"pack_10k_" + name + "_" + std::string(packing::NameOf(algorithm)), "ms", std::nullopt,
           [algorithm = algorithm, sites = sites] { return Milliseconds(algorithm, sites); },
           Reference});
    }
  }
  return out;
}

}  // namespace muster::bench
