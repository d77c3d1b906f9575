// Shadows show who is in the way and who may have room elsewhere; sites decide.
#include "meta/search/giving_way.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "meta/requests/homes.h"
#include "meta/requests/horizon.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/trials.h"
#include "meta/search/movable.h"
#include "meta/search/move_gain.h"
#include "meta/search/relocation.h"
#include "meta/search/replacement.h"
#include "meta/search/shadow_starts.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

constexpr size_t kHomeLooks = 32;  // home requests looked at per turn
// Bookings further away than this, with their turnover and tails, are in nobody's way.
constexpr Span kAround{600};

// The home of its user, if the request may run there and the site is known; else empty.
std::string HomeOf(const SearchLayer& f, const Request& request) {
  const auto user = f.users.find(request.record().requester.user);
  if (user == f.users.end() || user->second.home.empty()) return "";
  const std::string& home = user->second.home;
  const Site& site = f.sites.at(home);
  const bool may = partitioner::MayRunAt(request.record().spec.parts[0], home);
  return may && site.Up() && !site.disk_low && site.shadow.known() ? home : "";
}

bool GaveWayEnough(const Request& request) {
  const std::vector<schemas::JobEvent>& events = request.record().events;
  return std::count_if(events.begin(), events.end(), [](const schemas::JobEvent& event) {
           return event.code == "moved" && event.text == kGivesWay;
         }) >= kGiveWayMost;
}

// A booking of somebody else at the site that has not started and may be moved.
struct Foreign {
  Request* request;
  const Attempt* attempt;
  Interval near;               // what it has booked, and what is booked around that
  std::optional<bool> may_go;  // whether it may give way; none: not looked at yet
};
std::vector<Foreign> ForeignAt(SearchLayer& f, const Turn& t, const std::string& home) {
  std::vector<Foreign> out;
  for (const Fence& fence : f.sites.at(home).attempts) {
    Request* const request = f.requests.Find(f.attempts.at(fence).record().request);
    if (request == nullptr || !IsOfOnePart(*request)) continue;
    const Attempt* const attempt = Movable(f, t, *request);
    if (attempt == nullptr || attempt->fence() != fence) continue;
    if (IsHome(f, request->record().requester.user, home) || GaveWayEnough(*request)) continue;
    const Instant start = attempt->record().start;
    const Span length = LengthAt(f, request->record().spec, home);
    out.push_back({request, attempt, {start - kAround, start + length + kAround}, {}});
  }
  return out;
}

// The earliest start of the request at its home by the shadow, without these attempts there.
std::optional<Instant> StartWithout(const SearchLayer& f, const Turn& t, const Request& request,
                                    const std::string& home, const std::set<Fence>& fences,
                                    const Interval& worth) {
  const IntervalSet allowed =
      StartsAt(f, t, request, false, {home}).Intersect(IntervalSet({worth}));
  if (allowed.empty()) return std::nullopt;
  const std::optional<Instant> start =
      ShadowStart(f, f.sites.at(home).shadow.Without(fences), request.record().spec, {home}, home,
                  allowed.intervals()[0].begin, Span{0}, allowed.intervals().back().end);
  return start && allowed.Contains(*start) ? start : std::nullopt;
}

// Whether the shadow of another site shows a start that keeps the promise.
bool MayGiveWay(const SearchLayer& f, const Turn& t, const Foreign& foreign) {
  const Request& request = *foreign.request;
  const std::string& here = foreign.attempt->record().members[0];
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    if (name == here || !partitioner::MayRunAt(request.record().spec.parts[0], name)) continue;
    if (!site.Up() || site.disk_low || !site.shadow.known()) continue;
    if (f.searches.SaidNever(request.id(), 0, name)) continue;
    const Interval worth{std::max(request.nearest, t.NowCeiling() + kMoveAhead),
                         LastToGiveWay(f, *foreign.attempt, name) + Span{1}};
    if (worth.begin >= worth.end) continue;
    const IntervalSet allowed =
        StartsAt(f, t, request, false, {name}).Intersect(IntervalSet({worth}));
    if (HasShadowStart(f, request, name, allowed, *foreign.attempt)) return true;
  }
  return false;
}

// The bookings of others at each site that a turn looks at. They are worked out once, for all home
// requests of the turn, until one of them is sought another place.
using ForeignBySite = std::map<std::string, std::vector<Foreign>>;

std::set<Fence> FencesOf(const std::vector<Foreign*>& all, const Attempt& own) {
  std::set<Fence> out{own.fence()};
  for (const Foreign* foreign : all) out.insert(foreign->attempt->fence());
  return out;
}

// Those near this time.
std::vector<Foreign*> Near(std::vector<Foreign>& all, const Interval& time) {
  std::vector<Foreign*> out;
  for (Foreign& foreign : all) {
    const bool near = foreign.near.begin < time.end && time.begin < foreign.near.end;
    if (near) out.push_back(&foreign);
  }
  return out;
}

// Whether it may give way, asked of the shadows once.
bool MayGo(const SearchLayer& f, const Turn& t, Foreign& foreign) {
  if (!foreign.may_go) foreign.may_go = MayGiveWay(f, t, foreign);
  return *foreign.may_go;
}

// Those that would have to go for the request to start earlier at home, newest promise first; none
// if it would not be worth it, or if too few can go.
std::vector<Foreign> InTheWay(SearchLayer& f, const Turn& t, const Request& request,
                              const Attempt& place, const std::string& home, ForeignBySite& known) {
  const Interval gain =
      WorthGoing(f.options.rechoice, request, place.record().start, t.NowCeiling(), Gain::kClear);
  const Interval worth{std::max(gain.begin, t.NowCeiling() + kMoveAhead), gain.end};
  if (worth.begin >= worth.end) return {};
  if (!known.contains(home)) known[home] = ForeignAt(f, t, home);
  const Span length = LengthAt(f, request.record().spec, home);
  std::vector<Foreign*> all = Near(known[home], {worth.begin, worth.end + length});
  if (all.empty() || !StartWithout(f, t, request, home, FencesOf(all, place), worth)) return {};
  std::erase_if(all, [&](Foreign* foreign) { return !MayGo(f, t, *foreign); });
  if (all.empty()) return {};
  const auto start = StartWithout(f, t, request, home, FencesOf(all, place), worth);
  if (!start) return {};
  std::vector<Foreign> out;
  for (const Foreign* foreign : all) {
    const Instant begin = foreign->attempt->record().start;
    const Instant end = begin + LengthAt(f, foreign->request->record().spec, home);
    if (begin < *start + length && *start < end) out.push_back(*foreign);
  }
  std::sort(out.begin(), out.end(), [](const Foreign& a, const Foreign& b) {
    return b.attempt->fence() < a.attempt->fence();
  });
  return out;
}

}  // namespace

void SeekRoomAtHome(SearchLayer& f, Turn& t) {
  if (!f.options.home_first) return;
  MovePass& pass = f.moves.home;
  if (!pass.Begin(f.requests, t.boot(), kHomePassApart, IsOfOnePart)) return;
  ForeignBySite known;
  for (size_t looked = 0; looked < kHomeLooks; ++looked) {
    const std::optional<RequestId> next = pass.Next();
    if (!next) return;
    Request* const request = f.requests.Find(*next);
    if (request == nullptr) continue;
    const std::string home = HomeOf(f, *request);
    const Attempt* const place = home.empty() ? nullptr : Movable(f, t, *request);
    if (place == nullptr) continue;
    request->nearest = NearestStart(f, t, *request);
    for (const Foreign& foreign : InTheWay(f, t, *request, *place, home, known)) {
      known.clear();
      foreign.request->nearest = NearestStart(f, t, *foreign.request);
      SeekToGiveWay(f, *foreign.request);
      pass.Sought(kGiveWayPerPass);
      if (!pass.running()) return;
    }
  }
  if (pass.running()) t.WakeBy(t.boot());
}

}  // namespace muster::meta
