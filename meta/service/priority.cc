// Values are worked out as for the order itself, for the same moment.
#include "meta/service/priority.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/units.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/credentials.h"
#include "meta/requests/fairshare.h"
#include "meta/requests/points.h"
#include "meta/requests/rank.h"
#include "meta/requests/refusals.h"
#include "meta/turn/turn.h"
#include "policy/shown/rows.h"

namespace muster::meta {
namespace {

using policy::Factor;

// "@weather has 35.0 %, target 25.0 %", or that there is no share.
std::string ShareText(const ServiceLayer& f, const policy::Asker& asker) {
  std::string who;
  const policy::Standing* now = ShareOf(f.ranking.shares(), asker.who, &who);
  if (now == nullptr || !f.options.fairshare) return "no share";
  const std::vector<policy::Share>& shares = f.options.fairshare->shares;
  const auto share = std::find_if(shares.begin(), shares.end(),
                                  [&](const policy::Share& one) { return one.who == who; });
  if (share == shares.end()) return who;
  return policy::TextOf(*share, now->part);
}

// "lakes gave others 35.0 % of a window more than it took", or that there is no home.
std::string BalanceText(const ServiceLayer& f, const policy::Asker& asker) {
  const auto user = f.users.find(asker.who.user);
  if (user == f.users.end() || user->second.home.empty()) return "no home";
  const std::string& home = user->second.home;
  const int64_t value = f.balances.ValueOf(home);
  if (value == 0) return home + " gave as much as it took";
  constexpr int64_t kMillionths = 1000;  // of a thousandth
  return home + (value > 0 ? " gave others " : " took from others ") +
         policy::PercentText(std::abs(value) * kMillionths) + " of a window more than it " +
         (value > 0 ? "took" : "gave");
}

// The place in its queue that the request would have if it were asked for so, if that is earlier.
std::optional<schemas::PriorityWay> WayOf(const ServiceLayer& f, const Request& request,
                                          const policy::Asker& asker,
                                          const policy::Largest& largest, uint64_t place,
                                          std::vector<std::string> options) {
  const int64_t points = PointsOf(*f.options.priority, asker, largest);
  Rank rank = RankOf(request);
  rank.points = -points;
  const uint64_t then = f.room.StandingOf(rank).place;
  if (then >= place) return std::nullopt;
  schemas::PriorityWay way{
      .argv = {"alter", ToText(request.id())}, .points = points, .place = then};
  way.argv.insert(way.argv.end(), options.begin(), options.end());
  return way;
}

// With half and a quarter of the duration, and under each other QoS that is granted; best first.
std::vector<schemas::PriorityWay> WaysOf(const ServiceLayer& f, const Request& request,
                                         const policy::Asker& asker, const policy::Largest& largest,
                                         uint64_t place) {
  std::vector<schemas::PriorityWay> out;
  for (const int64_t part : {2, 4}) {
    policy::Asker shorter = asker;
    shorter.duration = Span{asker.duration.seconds / part};
    if (shorter.duration < Span{1}) continue;
    auto way = WayOf(f, request, shorter, largest, place, {"-t", DurationText(shorter.duration)});
    const bool better = way && (out.empty() || way->place < out.back().place);
    if (better) out.push_back(*std::move(way));
  }
  for (const std::string& name : policy::QosOf(f.options.credentials, asker.who)) {
    schemas::RequestSpec spec = request.record().spec;
    spec.qos = name;
    if (CheckPrivileges(f, spec) || PromisedAtStart(f, spec)) continue;
    policy::Asker other = asker;
    other.who.qos = name;
    other.target = f.options.credentials.FindQos(name)->target;
    if (auto way = WayOf(f, request, other, largest, place, {"--qos", name}))
      out.push_back(*std::move(way));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.place < b.place; });
  return out;
}

void AddFactors(const ServiceLayer& f, const Turn& t, const Request& request,
                schemas::PriorityView& out) {
  const policy::PointsRules& rules = *f.options.priority;
  const policy::Largest largest = LargestOf(f);
  out.at = f.ranking.at().value_or(PointsAt(f, t));
  const policy::Asker asker = AskerOf(f, request, *out.at);
  out.rows = policy::RowsOf(rules, asker, largest, Factor::kFsGlobal, [&](Factor factor) {
    return factor == Factor::kBalance ? BalanceText(f, asker) : ShareText(f, asker);
  });
  for (const schemas::PriorityRow& row : out.rows) out.points += row.points;
  out.next = NextRanking(f);
  if (!out.place) return;
  out.ways = WaysOf(f, request, asker, largest, *out.place);
}

}  // namespace

schemas::PriorityView PriorityOf(const ServiceLayer& f, const Turn& t, const Request& request) {
  const schemas::RequestRecord& record = request.record();
  schemas::PriorityView out{.job = ToText(request.id()),
                            .name = record.spec.name,
                            .user = record.requester.user,
                            .queue = record.spec.queue,
                            .state = record.state,
                            .ordered = f.options.priority.has_value()};
  if (!record.spec.account.empty()) out.account = record.spec.account;
  if (!record.spec.qos.empty()) out.qos = record.spec.qos;
  if (f.room.Has(request.id())) {
    const Rank rank = RankOf(request);
    const WaitingRoom::Standing standing = f.room.StandingOf(rank);
    out.place = standing.place;
    out.waiting = standing.peers;
    if (standing.before && out.ordered) out.ahead = -standing.before->points;
  }
  if (!out.place) out.reason = record.reason;
  if (out.ordered) AddFactors(f, t, request, out);
  return out;
}

const Request* AskedAbout(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (get.requests.size() != 1) {
    Refuse(f, t, asker, {.code = "usage", .message = "the priority of one job at a time"});
    return nullptr;
  }
  const Request* request = f.requests.Find(get.requests[0]);
  if (!request) {
    Refuse(f, t, asker, NoSuchJob(get.requests[0], ""));
    return nullptr;
  }
  // Of an array the first element that has not ended is shown, as `explain` does.
  for (const RequestId id : TargetsOf(f, *request)) {
    const Request* element = f.requests.Find(id);
    if (!element || element->Ended()) continue;
    request = element;
    break;
  }
  if (!request->Ended()) return request;
  Refuse(f, t, asker,
         {.code = "conflict", .message = Named(*request) + " has ended and waits no more"});
  return nullptr;
}

}  // namespace muster::meta
