// Once a plan is full it stays so: a later job must not overtake one that is not followed.
#include "meta/forecast/site_plan.h"

#include <algorithm>
#include <iterator>

#include "meta/sites/site.h"

namespace muster::meta {

std::vector<int64_t> AmountsAt(const Site& site, const ResourceSet& amounts) {
  std::vector<int64_t> out;
  for (const std::string& name : site.shadow.resources()) out.push_back(amounts.Get(name));
  return out;
}

std::vector<forecast::Backfilling::Step> TerrainOf(const Site& site) {
  ResourceSet up;
  for (const schemas::NodeClass& node : site.capacity->classes) up += node.per_node * node.up;
  std::vector<forecast::Backfilling::Step> out = {
      {Instant{-kFarFuture.seconds}, AmountsAt(site, up)}};
  for (const schemas::ProfileStep& step : site.capacity->profile) {
    ResourceSet free;
    for (const ResourceSet& of_class : step.free) free += of_class;
    // The first step also covers the past.
    if (&step == &site.capacity->profile.front()) {
      out[0].free = AmountsAt(site, free);
    } else {
      out.push_back({step.from, AmountsAt(site, free)});
    }
  }
  return out;
}

std::vector<forecast::Backfilling::Step> TerrainWithoutRuns(const Site& site) {
  std::vector<forecast::Backfilling::Step> out = TerrainOf(site);
  for (const schemas::OutsideRun& run : site.capacity->outside) {
    const auto end = std::lower_bound(
        out.begin(), out.end(), run.when.end,
        [](const forecast::Backfilling::Step& step, Instant at) { return step.from < at; });
    // The profile may be coarser: from its end on the job gives nothing back.
    if (end == out.end() || end->from != run.when.end) {
      out.insert(end, {run.when.end, std::prev(end)->free});
    }
    const std::vector<int64_t> amounts = AmountsAt(site, run.amounts);
    for (forecast::Backfilling::Step& step : out) {
      if (step.from >= run.when.end) break;
      for (size_t r = 0; r < amounts.size(); ++r) step.free[r] += amounts[r];
    }
  }
  return out;
}

forecast::Backfilling::Job SitePlan::Add(std::span<const int64_t> amounts, Interval booked,
                                         bool fixed, forecast::Runner runner, Follows of) {
  const Span length = booked.end - booked.begin;
  runners.push_back(std::move(runner));
  follows.push_back(of);
  return plan.AddAt(amounts, booked.begin, length, length, fixed);
}

bool SitePlan::FollowsOneMore() {
  full = full || runners.size() - running >= most;
  return !full;
}

}  // namespace muster::meta
