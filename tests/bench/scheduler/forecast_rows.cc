// Bounds. update_10k: 10,000 requests that wait over three sites of 1,024 processors in all, one in
// ten of them with two parts on two sites, all placed anew on the shadows after one event. The
// reference places each on three flat arrays, linearly, and meets two sites by trying one behind
// the other. forward_10k: the same, and then the sites' planners are asked about all of them, in
// tentative proposals that continue each other, one site after the other on one core. Both lay out
// as the meta's forward run does, block by block, with a threshold that is infinite.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "meta/search/packing/blocks.h"
#include "meta/search/verified_run.h"
#include "meta/search/verifying.h"
#include "site/planning/planner.h"
#include "tests/bench/planner/flat_profile.h"
#include "tests/bench/scheduler/bench.h"

namespace muster::bench {
namespace {

constexpr size_t kRequests = 10'000;
constexpr int64_t kSites[] = {512, 256, 256};

struct Request {
  int64_t processors;  // of each part
  int64_t length;
  size_t parts;
};

std::vector<Request> Draw() {
  Random random(11);
  const auto log_uniform = [&random](double least, double most) {
    const double share = static_cast<double>(random.Below(1u << 30)) / (1u << 30);
    return static_cast<int64_t>(least * std::pow(most / least, share));
  };
  std::vector<Request> out;
  for (size_t i = 0; i < kRequests; ++i) {
    const size_t parts = random.Chance(100) ? 2 : 1;
    out.push_back({log_uniform(1, 129), log_uniform(60, 2 * 86400), parts});
  }
  return out;
}

packing::Problem Waiting() {
  packing::Problem out{.now = Instant{0}, .bins = {}, .entries = {}};
  for (const int64_t processors : kSites) {
    const std::string name(1, static_cast<char>('a' + out.bins.size()));
    out.bins.push_back(packing::Bin(name, {{"ncpus", processors}}, out.now));
  }
  for (const Request& request : Draw()) {
    packing::Entry entry;
    entry.duration = Span{request.length};
    entry.allowed = IntervalSet::From(out.now);
    entry.apart = request.parts > 1;
    for (size_t p = 0; p < request.parts; ++p) {
      packing::Part part;
      for (size_t s = 0; s < out.bins.size(); ++s) {
        part.choices.push_back(
            {.bin = s, .amounts = {{"ncpus", request.processors}}, .length = Span{request.length}});
      }
      entry.parts.push_back(std::move(part));
    }
    out.entries.push_back(std::move(entry));
  }
  return out;
}

// Lays out all waiting requests, block by block, and returns the place of each.
std::vector<packing::Place> LayOut(const packing::Problem& waiting) {
  std::vector<packing::BlockSite> sites;
  std::vector<std::string> names;
  for (const packing::Bin& bin : waiting.bins) {
    sites.push_back({.bin = bin});
    names.push_back(bin.name());
  }
  room::Queues queues;
  for (size_t i = 0; i < waiting.entries.size(); ++i) queues.Enter({0, 0, RequestId{i + 1}}, names);
  packing::Blocks blocks(waiting.now, std::move(sites), std::move(queues),
                         {.threshold = {},
                          .block_max = 1000,
                          .pin = packing::Algorithm::kFcfsStar,
                          .voting = {},
                          .came = {},
                          .near = {},
                          .lead = {}});
  const packing::Blocks::Ask ask = [&waiting](RequestId id) {
    return std::optional(packing::BlockRequest{
        .entry = waiting.entries[id.value - 1], .voter = {}, .shape = {}, .chunks = 1});
  };
  std::vector<packing::Place> out(waiting.entries.size());
  size_t placed = 0;
  while (!blocks.Done()) {
    for (packing::Blocks::Placed& one : blocks.Next(ask).placed) {
      out[one.request.value - 1] = std::move(one.place);
      ++placed;
    }
  }
  MUSTER_CHECK(placed == out.size());
  return out;
}

double Update() {
  const packing::Problem waiting = Waiting();
  return 1e3 * BestSeconds(5, [] {}, [&] { Keep(LayOut(waiting).size()); });
}

// The two sites whose common start is earliest, each pair tried by turns.
void PlaceTwo(std::vector<FlatProfile>& used, const Request& r) {
  int64_t best = std::numeric_limits<int64_t>::max();
  std::pair<size_t, size_t> at;
  for (size_t a = 0; a < used.size(); ++a) {
    for (size_t b = a + 1; b < used.size(); ++b) {
      int64_t t = 0;
      for (int64_t before = -1; before != t;) {
        before = t;
        t = used[a].EarliestFit(r.processors, r.length, t);
        t = used[b].EarliestFit(r.processors, r.length, t);
      }
      if (t >= best) continue;
      best = t;
      at = {a, b};
    }
  }
  used[at.first].Add(best, best + r.length, r.processors);
  used[at.second].Add(best, best + r.length, r.processors);
}

double Reference() {
  const std::vector<Request> requests = Draw();
  return 1e3 * BestSeconds(
                   1, [] {},
                   [&requests] {
                     std::vector<FlatProfile> used;
                     for (const int64_t processors : kSites) used.emplace_back(processors);
                     for (const Request& r : requests) {
                       if (r.parts > 1) {
                         PlaceTwo(used, r);
                         continue;
                       }
                       size_t site = 0;
                       int64_t best = std::numeric_limits<int64_t>::max();
                       for (size_t s = 0; s < used.size(); ++s) {
                         const int64_t t = used[s].EarliestFit(r.processors, r.length, 0);
                         if (t >= best) continue;
                         best = t;
                         site = s;
                       }
                       used[site].Add(best, best + r.length, r.processors);
                     }
                     Keep(used[0].size());
                   });
}

constexpr int64_t kCores = 16;  // of a node

site::SitePlanner PlannerOf(int64_t processors) {
  site::Options options;
  for (int64_t n = 0; n < processors / kCores; ++n) {
    options.nodes.push_back(
        {.name = "n" + std::to_string(n), .resources = {{"ncpus", kCores}}, .properties = {}});
  }
  options.horizon = Span{4000 * 86400};
  return site::SitePlanner(options);
}

schemas::ProposalEntry Asked(const Request& request, Instant start) {
  schemas::PartDemand part{.index = 1};
  part.chunks.push_back(
      {.count = static_cast<uint32_t>(request.processors), .resources = {{"ncpus", 1}}});
  part.duration = Span{request.length};
  schemas::ProposalEntry entry{.parts = {std::move(part)}};
  // Two parts start together, when the shadows say that both can.
  entry.allowed = IntervalSet::From(request.parts > 1 ? start : Instant{0});
  entry.asked = entry.allowed.intervals().front().begin;
  return entry;
}

double Forward() {
  const std::vector<Request> requests = Draw();
  const packing::Problem waiting = Waiting();
  return BestSeconds(
      2, [] {},
      [&] {
        const std::vector<packing::Place> laid_out = LayOut(waiting);
        for (size_t s = 0; s < waiting.bins.size(); ++s) {
          const site::SitePlanner planner = PlannerOf(kSites[s]);
          std::shared_ptr<site::SitePlanner::Run> run;
          std::vector<schemas::ProposalEntry> entries;
          const auto ask = [&] {
            for (const auto& verdict : planner.Continue(entries, Instant{0}, run)) {
              MUSTER_CHECK(verdict.kind == schemas::VerdictKind::kAccepted ||
                           verdict.kind == schemas::VerdictKind::kCountered);
            }
            entries.clear();
          };
          for (size_t i = 0; i < requests.size(); ++i) {
            const packing::Place& place = laid_out[i];
            if (std::find(place.bins.begin(), place.bins.end(), s) == place.bins.end()) continue;
            entries.push_back(Asked(requests[i], place.start));
            if (entries.size() == meta::kVerifiedEntries) ask();
          }
          ask();
        }
      });
}

double ForwardReference() { return Reference() / 1e3; }

}  // namespace

std::vector<Row> ForecastRows() {
  return {{"update_10k", "ms", Bounds{100, 10}, Update, Reference},
          {"forward_10k", "s", Bounds{1, 0.3}, Forward, ForwardReference}};
}

}  // namespace muster::bench
