// Derives the cause of a later bound from the changes since the last note. A request that was
// accepted since then and has a place, or was laid out, at one of the same sites may have taken the
// room.
#include "meta/forecast/bounds.h"

#include <algorithm>
#include <utility>

#include "meta/forecast/known.h"
#include "meta/forecast/layer.h"
#include "meta/requests/rank.h"
#include "meta/search/packing/algorithm.h"
#include "meta/search/packing_choice.h"
#include "meta/turn/turn.h"

namespace muster::meta {
namespace {

using schemas::Cause;
using schemas::CauseCode;

// What orders requests, whenever they came: the smaller comes first.
using Weight = std::pair<int32_t, int64_t>;
Weight WeightOf(const Request& request) {
  const Rank rank = RankOf(request);
  return {rank.order, rank.points};
}

// Open requests by site, in order of acceptance. Each has the weight of the first in rank of itself
// and all later ones. Also the places of those that are queued.
class Arrivals {
 public:
  Arrivals(const ForecastLayer& f, const Known& known) {
    NotePlaces(f);
    for (const RequestId id : f.requests.open()) {
      const Request& request = *f.requests.Find(id);
      for (const std::string& site : SitesOf(f, known, request)) {
        by_site_[site].push_back({request.record().submitted_at, WeightOf(request)});
      }
    }
    for (auto& [site, arrivals] : by_site_) {
      std::stable_sort(arrivals.begin(), arrivals.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t i = arrivals.size(); i-- > 1;) {
        arrivals[i - 1].second = std::min(arrivals[i - 1].second, arrivals[i].second);
      }
    }
  }

  // The weight of the first in rank of the requests at these sites that were accepted after `then`;
  // none if there is no such request.
  std::optional<Weight> Since(Moment then, const std::vector<std::string>& sites) const {
    std::optional<Weight> out;
    for (const std::string& name : sites) {
      const auto site = by_site_.find(name);
      if (site == by_site_.end()) continue;
      const auto next =
          std::upper_bound(site->second.begin(), site->second.end(), then,
                           [](Moment at, const auto& arrival) { return at < arrival.first; });
      if (next == site->second.end()) continue;
      out = std::min(out.value_or(next->second), next->second);
    }
    return out;
  }
  // Where the request stands among those that are queued for each of its sites, from 1. Empty: it
  // is not queued, or ranks do not change with time.
  const std::map<std::string, size_t>& PlacesOf(RequestId id) const {
    static const std::map<std::string, size_t> kNone;
    const auto places = places_.find(id);
    return places == places_.end() ? kNone : places->second;
  }

 private:
  void NotePlaces(const ForecastLayer& f) {
    if (!f.options.priority) return;
    const room::Queues& queues = f.room.queues();
    std::map<std::string, size_t> seen;
    for (auto rank = queues.After(std::nullopt); rank; rank = queues.After(rank)) {
      for (const std::string& site : queues.SitesOf(rank->id)) {
        places_[rank->id][site] = ++seen[site];
      }
    }
  }
  static std::vector<std::string> SitesOf(const ForecastLayer& f, const Known& known,
                                          const Request& request) {
    if (request.record().attempt) {
      const auto attempt = f.attempts.find(*request.record().attempt);
      if (attempt != f.attempts.end()) return attempt->second.record().members;
    }
    const auto told = known.told.find(request.id());
    return told == known.told.end() ? std::vector<std::string>{} : told->second.sites;
  }

  std::map<std::string, std::vector<std::pair<Moment, Weight>>> by_site_;
  std::map<RequestId, std::map<std::string, size_t>> places_;
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

// True if more requests than at the last note come before this one at a site where it is laid out:
// others gained points, or came back.
bool LostPlaces(const std::map<std::string, size_t>& places, const Told& told) {
  return std::any_of(told.sites.begin(), told.sites.end(), [&](const std::string& site) {
    const auto before = told.bounds.places.find(site);
    const auto now = places.find(site);
    return before != told.bounds.places.end() && now != places.end() &&
           now->second > before->second;
  });
}

Cause WhyLater(const ForecastLayer& f, const Arrivals& arrivals, const Request& request,
               const Told& told) {
  const std::optional<Weight> came = arrivals.Since(told.bounds.changes.back().at, told.sites);
  if (came && *came < WeightOf(request)) return {CauseCode::kOvertaken, {}, "meta"};
  if (auto switched = Switched(f, told.bounds)) return *switched;
  if (LostPlaces(arrivals.PlacesOf(request.id()), told)) return {CauseCode::kOvertaken, {}, "meta"};
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
  bounds.places = arrivals.PlacesOf(request.id());
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
