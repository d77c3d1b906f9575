// A pass goes through the open requests in the order of their ids, and goes on in the next turn
// where it stopped.
#include "meta/requests/points.h"

#include <algorithm>
#include <set>
#include <utility>

#include "meta/requests/credentials.h"
#include "meta/requests/fairshare.h"
#include "meta/requests/rank.h"
#include "meta/requests/start_conditions.h"

namespace muster::meta {
namespace {

// What is promised and stored, also while another place is sought for something else.
const schemas::RequestSpec& SpecOf(const Request& request) {
  return request.before() ? *request.before() : request.record().spec;
}

Moment EndedAt(const Request& request) {
  const schemas::RequestRecord& record = request.record();
  return record.events.empty() ? record.submitted_at : record.events.back().at;
}

// Since when the request could be placed, of its present period of waiting; none while it may not
// be placed.
std::optional<Moment> WaitsSince(const RequestsLayer& f, const Request& request, Moment now) {
  const schemas::RequestRecord& record = request.record();
  const schemas::RequestSpec& spec = SpecOf(request);
  if (record.parked || request.state() == schemas::RequestState::kParked) return std::nullopt;
  Moment since = std::max(record.submitted_at, record.waits_since);
  if (spec.from) since = std::max(since, ToMoment(*spec.from));
  for (const schemas::Dependency& d : spec.after) {
    if (!LookAt(f, d.request, now).ended) return std::nullopt;
    if (const Request* other = f.requests.Find(d.request)) since = std::max(since, EndedAt(*other));
  }
  return since;
}

Span Between(Moment from, Moment to) {
  return Span{std::max<int64_t>(to.milliseconds - from.milliseconds, 0) / 1000};
}

// From submission to the promised start.
Span PlannedWait(const RequestsLayer& f, const Request& request) {
  if (!request.record().attempt) return Span{0};
  const auto it = f.attempts.find(*request.record().attempt);
  if (it == f.attempts.end()) return Span{0};
  return it->second.record().start - request.record().submitted_at.Floor();
}

bool IsRanked(const Request& request) { return !request.Ended() && !request.record().spec.array; }

// A request that asks under this name, and for nothing: what it gets is what the name gives.
Request Named(const Askers::Name& name) {
  schemas::RequestRecord record;
  record.requester.user = name[0];
  record.spec.queue = name[1];
  record.spec.account = name[2];
  record.spec.qos = name[3];
  return Request(std::move(record));
}

// Works out the points of requests from their facts, which it reads from records that changed.
class Ranker {
 public:
  Ranker(RequestsLayer& f, Moment now, const policy::Largest& largest)
      : f_(f), now_(now), largest_(largest) {}

  void Rank(Askers::Facts& facts) {
    if (facts.stale) Read(facts);
    if (!facts.ranked) return;
    const int64_t points = f_.options.priority ? PointsFor(facts) : 0;
    if (points == facts.points) return;
    facts.points = points;
    Request& request = *f_.requests.Find(facts.id);
    f_.requests.SetPoints(request, points);
    if (!f_.room.Has(facts.id)) return;
    if (f_.room.Reorder(RankOf(request))) reordered_ = true;
  }
  bool reordered() const { return reordered_; }

 private:
  void Read(Askers::Facts& facts) {
    const Request* const request = f_.requests.Find(facts.id);
    facts.ranked = request != nullptr && IsRanked(*request);
    if (!facts.ranked) return;
    facts.points = request->points();
    if (!f_.options.priority) return;
    const policy::PointsRules& rules = *f_.options.priority;
    const schemas::RequestSpec& spec = SpecOf(*request);
    const policy::Asker asker = AskedBy(f_, *request, now_);
    facts.since = WaitsSince(f_, *request, now_);
    facts.waited = request->record().waited;
    facts.duration = asker.duration;
    facts.fixed = PointsOf(rules, ValuesOf(rules, asker, largest_)) -
                  WaitPoints(rules, asker.wait, asker.duration);
    facts.name =
        f_.askers.NumberOf({request->record().requester.user, spec.queue, spec.account, spec.qos});
    // When others end is on their records; a target counts the wait in its own way.
    facts.stale = !spec.after.empty() || asker.target;
  }
  int64_t PointsFor(const Askers::Facts& facts) {
    const Span wait = facts.waited + (facts.since ? Between(*facts.since, now_) : Span{0});
    return facts.fixed + WaitPoints(*f_.options.priority, wait, facts.duration) +
           GivenTo(f_.askers.GivenTo(facts.name));
  }
  int64_t GivenTo(Askers::Given& given) {
    if (!given.points) {
      const policy::Asker all = AskerOf(f_, Named(given.name), now_);
      const policy::Asker asker{.who = all.who,
                                .share = all.share,
                                .under_floor = all.under_floor,
                                .balance = all.balance};
      given.points = PointsOf(*f_.options.priority, asker, policy::Largest{});
    }
    return *given.points;
  }

  RequestsLayer& f_;
  const Moment now_;
  const policy::Largest largest_;
  bool reordered_ = false;
};

void GoOn(RequestsLayer& f, Ranker& ranker, size_t most) {
  size_t left = most;
  for (size_t i = f.askers.Behind(f.ranking.after()); i < f.askers.size(); ++i) {
    if (left-- == 0) return;
    ranker.Rank(f.askers.At(i));
    f.ranking.Pass(f.askers.At(i).id);
  }
  f.ranking.End();
}

}  // namespace

Span TimeWaited(const RequestsLayer& f, const Request& request, Moment now) {
  const std::optional<Moment> since = WaitsSince(f, request, now);
  return request.record().waited + (since ? Between(*since, now) : Span{0});
}

policy::Asker AskedBy(const RequestsLayer& f, const Request& request, Moment now) {
  const schemas::RequestSpec& spec = SpecOf(request);
  policy::Asker out{.wait = TimeWaited(f, request, now), .duration = spec.duration};
  if (const policy::Qos* const qos = QosOf(f, spec)) out.target = qos->target;
  if (out.target) out.planned = PlannedWait(f, request);
  for (const schemas::PartSpec& part : spec.parts) {
    for (const schemas::Chunk& chunk : part.chunks) {
      out.procs += chunk.resources.Get("ncpus") * chunk.count;
      out.mem += chunk.resources.Get("mem") * chunk.count;
    }
  }
  return out;
}

policy::Asker AskerOf(const RequestsLayer& f, const Request& request, Moment now) {
  policy::Asker out = AskedBy(f, request, now);
  out.who = CredentialsOf(f, SpecOf(request), request.record().requester.user, now);
  std::string who;
  if (const policy::Standing* share = ShareOf(f.ranking.shares(), out.who, &who)) {
    out.share = share->value;
    out.under_floor = share->under_floor;
  }
  const auto user = f.users.find(request.record().requester.user);
  if (user != f.users.end()) out.balance = f.balances.ValueOf(user->second.home);
  return out;
}

policy::Largest LargestOf(const RequestsLayer& f) {
  policy::Largest out;
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    if (!site.capacity) continue;
    out.procs = std::max(out.procs, site.capacity->total.Get("ncpus"));
    out.mem = std::max(out.mem, site.capacity->total.Get("mem"));
  }
  return out;
}

Moment PointsAt(const RequestsLayer& f, const Turn& t) {
  const int64_t tick = f.options.priority->tick.seconds * 1000;
  return Moment{t.plan.milliseconds / tick * tick};
}

void CountWait(RequestsLayer& f, Request& request, Moment now) {
  const Span waited = TimeWaited(f, request, now);
  schemas::RequestRecord& record = f.requests.Edit(request);
  record.waited = waited;
  record.waits_since = now;
}

bool RankAnew(RequestsLayer& f, Turn& t) {
  const bool first = !f.ranking.at();
  if (!f.options.priority && first) return false;
  const policy::Largest largest = f.options.priority ? LargestOf(f) : policy::Largest{};
  f.ranking.NoteLargest(largest);
  if (f.ranking.changed()) f.askers.Clear();
  if (f.ranking.Begin(f.options.priority ? PointsAt(f, t) : t.plan)) {
    f.ranking.TakeShares(SharesAt(f, *f.ranking.at()));
    f.askers.Begin(f.requests.open());
  }
  Ranker ranker(f, *f.ranking.at(), largest);
  // Nobody is tried before all have their first points.
  if (f.ranking.running()) GoOn(f, ranker, first ? SIZE_MAX : kRankedPerTurn);
  for (const RequestId id : f.requests.due()) {
    const Request* request = f.requests.Find(id);
    if (request && IsRanked(*request)) ranker.Rank(f.askers.Stale(id));
  }
  if (!f.options.priority && !f.ranking.running()) {
    f.ranking = Ranking();
    f.askers.Clear();
  }
  return ranker.reordered();
}

std::optional<Moment> NextRanking(const RequestsLayer& f) {
  if (f.ranking.running()) return f.ranking.at();
  if (!f.options.priority || !f.ranking.at() || f.requests.open().empty()) return std::nullopt;
  return Moment{f.ranking.at()->milliseconds + f.options.priority->tick.seconds * 1000};
}

}  // namespace muster::meta
