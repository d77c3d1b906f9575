// Sites tell their oldest local jobs first, so that one which is not told any more is not merely
// behind others.
#include "meta/forecast/outside_runs.h"

#include <algorithm>
#include <set>

#include "meta/sites/site.h"

namespace muster::meta {
namespace {

// Draws of futures are keyed by request; those of jobs that are none have keys of their own.
constexpr uint64_t kNoRequest = uint64_t{1} << 63;

forecast::Shape ShapeOf(const std::string& site, const schemas::OutsideRun& run) {
  // No user of the federation has a line break in the name.
  return {.user = site + '\n' + run.user,
          .processors = std::max<int64_t>(1, run.amounts.Get("ncpus")),
          .asked = run.when.end - run.when.begin};
}

}  // namespace

void OutsideRuns::Hear(const std::map<std::string, Site>& sites, Instant now) {
  for (const auto& [name, site] : sites) {
    if (!site.capacity) continue;
    Heard& heard = heard_[name];
    if (heard.incarnation != site.incarnation()) {
      // Its keys begin anew. What ended while it was away is not known.
      for (const auto& [_, running] : heard.running) model_.Forget(running.job);
      heard = {.incarnation = site.incarnation(), .plan = {}, .running = {}};
    } else if (heard.plan == site.capacity->plan) {
      continue;
    }
    heard.plan = site.capacity->plan;
    Take(name, *site.capacity, now, heard);
  }
}

void OutsideRuns::Take(const std::string& site, const schemas::Capacity& capacity, Instant now,
                       Heard& heard) {
  std::set<uint64_t> told;
  for (const schemas::OutsideRun& run : capacity.outside) told.insert(run.key);
  std::erase_if(heard.running, [&](const auto& entry) {
    const Running& running = entry.second;
    if (told.contains(entry.first)) return false;
    model_.End(running.job, std::min(now, running.when.end) - running.when.begin);
    return true;
  });
  for (const schemas::OutsideRun& run : capacity.outside) {
    const auto [at, fresh] = heard.running.try_emplace(run.key);
    at->second.when = run.when;
    if (!fresh) continue;
    at->second.job = ++jobs_;
    model_.Submit(jobs_, ShapeOf(site, run), now);
    model_.Start(jobs_, run.when.begin);
  }
}

forecast::Runner OutsideRuns::RunnerOf(const std::string& site, const schemas::OutsideRun& run,
                                       Instant now,
                                       std::map<forecast::Shape, forecast::RunTime>& times) const {
  const forecast::Shape shape = ShapeOf(site, run);
  const auto known = times.find(shape);
  return {.request = kNoRequest | run.key,
          .kin = forecast::KinOf(shape),
          .run_time = known != times.end()
                          ? known->second
                          : times.emplace(shape, model_.Of(shape, now)).first->second,
          .elapsed = std::max(Span{1}, now - run.when.begin)};
}

}  // namespace muster::meta
