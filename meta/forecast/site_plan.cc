// Jobs go to the plan until it is filled, then to a copy of it.
#include "meta/forecast/site_plan.h"

#include "meta/sites/site.h"

namespace muster::meta {

std::vector<int64_t> AmountsAt(const Site& site, const ResourceSet& amounts) {
  std::vector<int64_t> out;
  for (const std::string& name : site.shadow.resources()) out.push_back(amounts.Get(name));
  return out;
}

forecast::Backfilling::Job SitePlan::Add(std::span<const int64_t> amounts, Interval booked,
                                         bool fixed, forecast::Runner runner, Follows of) {
  const auto job = static_cast<forecast::Backfilling::Job>(runners.size());
  const Span length = booked.end - booked.begin;
  if (!whole) {
    plan.AddAt(amounts, booked.begin, length, length, fixed);
    ++first_;
  } else {
    whole->AddAt(amounts, booked.begin, length, length, fixed);
  }
  runners.push_back(std::move(runner));
  follows.push_back(of);
  return job;
}

void SitePlan::Yields(forecast::Backfilling::Job job, int32_t priority) {
  (whole ? *whole : plan).Yields(job, priority);
}

void SitePlan::Precede(forecast::Backfilling::Job job, forecast::Backfilling::Job before) {
  (whole ? *whole : plan).Precede(job, before);
}

void SitePlan::KeepFirst() {
  whole.reset();
  runners.erase(runners.begin() + static_cast<std::ptrdiff_t>(first_), runners.end());
  follows.erase(follows.begin() + static_cast<std::ptrdiff_t>(first_), follows.end());
}

}  // namespace muster::meta
