// Derives the cause of a later bound from the changes since the last note. A request that was
// accepted since then and has a place, or was laid out, at one of the same sites may have taken the
// room.
#include "meta/forecast/bounds.h"

#include <algorithm>
#include <utility>

#include "meta/forecast/known.h"
#include "meta/forecast/layer.h"
#include "meta/search/packing/algorithm.h"
#include "meta/search/packing_choice.h"
#include "meta/turn/turn.h"

namespace muster::meta {
namespace {

using schemas::Cause;
using schemas::CauseCode;

// Open requests by site, in order of acceptance. Each has the highest priority of itself and all
// later ones.
class Arrivals {
 public:
  Arrivals(const ForecastLayer& f, const Known& known) {
    for (const RequestId id : f.requests.open()) {
      const Request& request = *f.requests.Find(id);
      for (const std::string& site : SitesOf(f, known, request)) {
        by_site_[site].push_back({request.record().submitted_at, request.priority});
      }
    }
    for (auto& [site, arrivals] : by_site_) {
      std::stable_sort(arrivals.begin(), arrivals.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t i = arrivals.size(); i-- > 1;) {
        arrivals[i - 1].second = std::max(arrivals[i - 1].second, arrivals[i].second);
      }
    }
  }

  // The highest priority among the requests at these sites that were accepted after `then`; none if
  // there is no such request.
  std::optional<int32_t> Since(Moment then, const std::vector<std::string>& sites) const {
    std::optional<int32_t> out;
    for (const std::string& name : sites) {
      const auto site = by_site_.find(name);
      if (site == by_site_.end()) continue;
      const auto next =
          std::upper_bound(site->second.begin(), site->second.end(), then,
                           [](Moment at, const auto& arrival) { return at < arrival.first; });
      if (next == site->second.end()) continue;
      out = std::max(out.value_or(next->second), next->second);
    }
    return out;
  }

 private:
  static std::vector<std::string> SitesOf(const ForecastLayer& f, const Known& known,
                                          const Request& request) {
    if (request.record().attempt) {
      const auto attempt = f.attempts.find(*request.record().attempt);
      if (attempt != f.attempts.end()) return attempt->second.record().members;
    }
    const auto told = known.told.find(request.id());
    return told == known.told.end() ? std::vector<std::string>{} : told->second.sites;
  }

  std::map<std::string, std::vector<std::pair<Moment, int32_t>>> by_site_;
};

// A site whose plan has changed since the last note; none if none has.
std::optional<std::string> WhoseSite(const ForecastLayer& f, const Told& told) {
  for (const std::string& name : told.sites) {
    const auto plan = told.bounds.plans.find(name);
    if (plan == told.bounds.plans.end() || plan->second != f.sites.at(name).plan) return name;
  }
  return std::nullopt;
}

// The cause if the packing in force, or another setting of the scheduler, has changed since the
// last note.
std::optional<Cause> Switched(const ForecastLayer& f, const BoundHistory& bounds) {
  const std::string packing(packing::NameOf(PackingInForce(f)));
  if (packing != bounds.packing) {
    return Cause{CauseCode::kPacked, {.packing = packing}, "meta"};
  }
  const std::string settings = SettingsText(f.scheduler.record->set);
  if (settings == bounds.settings) return std::nullopt;
  return Cause{CauseCode::kPacked, {.packing = settings}, "meta"};
}

Cause WhyLater(const ForecastLayer& f, const Arrivals& arrivals, const Request& request,
               const Told& told) {
  const std::optional<int32_t> came = arrivals.Since(told.bounds.changes.back().at, told.sites);
  if (came && *came > request.priority) return {CauseCode::kOvertaken, {}, "meta"};
  if (auto switched = Switched(f, told.bounds)) return *switched;
  if (came) return {CauseCode::kPacked, {}, "meta"};
  const auto& before = told.bounds.changes.back().figures.starts_by;
  const bool mapped = told.verified && !before->verified;
  std::optional<std::string> site = WhoseSite(f, told);
  // No plan changed, but mapping found fragmentation, which a shadow cannot see.
  if (!site && mapped) site = told.sites.front();
  if (site) return {CauseCode::kSite, {.site = *site}, "site:" + *site};
  // A request left, and the remaining ones were laid out again.
  return {CauseCode::kPacked, {}, "meta"};
}

void Note(const ForecastLayer& f, const Arrivals& arrivals, const Turn& t, const Request& request,
          Told& told) {
  BoundHistory& bounds = told.bounds;
  std::optional<Cause> cause;
  if (!bounds.changes.empty()) {
    const Instant last = bounds.changes.back().figures.starts_by->at;
    if (*told.bound - last <= kRisen && last - *told.bound <= kMoved) return;
    cause = *told.bound > last ? WhyLater(f, arrivals, request, told)
                               : Cause{CauseCode::kBackfilled, {}, "meta"};
  }
  schemas::FigureChange change{.at = t.plan, .cause = std::move(cause)};
  change.figures.starts_by = schemas::StartsBy{*told.bound, false, told.verified.has_value()};
  change.figures.expected = told.expected;
  if (bounds.changes.size() >= kBoundsKept) bounds.changes.erase(bounds.changes.begin() + 1);
  bounds.changes.push_back(std::move(change));
  bounds.packing = packing::NameOf(PackingInForce(f));
  bounds.settings = SettingsText(f.scheduler.record->set);
  bounds.promised = false;
  bounds.risen.reset();
  bounds.plans.clear();
  for (const std::string& site : told.sites) bounds.plans[site] = f.sites.at(site).plan;
}

// Ends the history of the bound with the promise. Notes the cause if the promise is later.
void NotePromise(const ForecastLayer& f, const Arrivals& arrivals, const Request& request,
                 Told& told) {
  BoundHistory& bounds = told.bounds;
  if (bounds.changes.empty() || bounds.promised || request.record().history.empty()) return;
  const auto& promise = request.record().history.back().figures.starts_by;
  if (!promise || !promise->firm) return;
  bounds.promised = true;
  if (promise->at - bounds.changes.back().figures.starts_by->at <= kRisen) return;
  bounds.risen = WhyLater(f, arrivals, request, told);
}

}  // namespace

void NoteBounds(const ForecastLayer& f, Known& known, const Turn& t) {
  std::optional<Arrivals> arrivals;
  for (auto& [id, told] : known.told) {
    const bool noted = !told.bounds.changes.empty() && !told.bounds.promised;
    if (told.sites.empty() || (!told.bound && !noted)) continue;
    const Request* request = f.requests.Find(id);
    if (!request || !request->Wanted()) continue;
    if (!arrivals) arrivals.emplace(f, known);
    if (request->record().attempt) {
      NotePromise(f, *arrivals, *request, told);
    } else if (told.bound) {
      Note(f, *arrivals, t, *request, told);
    }
  }
}

void AddBounds(const BoundHistory& bounds, std::vector<schemas::FigureChange>& history) {
  history.insert(history.begin(), bounds.changes.begin(), bounds.changes.end());
  std::stable_sort(history.begin(), history.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  if (!bounds.risen) return;
  const Moment last = bounds.changes.back().at;
  for (schemas::FigureChange& change : history) {
    const auto& promise = change.figures.starts_by;
    if (change.at < last || !promise || !promise->firm) continue;
    if (!change.cause) change.cause = bounds.risen;
    return;
  }
}

}  // namespace muster::meta
