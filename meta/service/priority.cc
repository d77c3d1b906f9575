// Values are worked out as for the order itself, for the same moment.
#include "meta/service/priority.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/phrases.h"
#include "base/units.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/credentials.h"
#include "meta/requests/fairshare.h"
#include "meta/requests/points.h"
#include "meta/requests/rank.h"
#include "meta/requests/refusals.h"
#include "meta/turn/turn.h"

namespace muster::meta {
namespace {

using policy::Factor;

// "kim 50, @weather 300", or "nothing given".
std::string CredentialsText(const policy::PointsRules& rules, const policy::Asker& asker) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& who) {
    const auto it = rules.credentials.find(who);
    if (it != rules.credentials.end()) out.push_back(who + " " + std::to_string(it->second));
  };
  add(asker.who.user);
  for (const std::string& group : asker.who.groups) add("@" + group);
  add("queue " + asker.who.queue);
  add("account " + asker.who.account);
  add("qos " + asker.who.qos);
  return out.empty() ? "nothing given" : Joined(out);
}

std::string Because(Factor factor, const policy::PointsRules& rules, const policy::Asker& asker,
                    const policy::Largest& largest) {
  const std::string duration = DurationText(asker.duration);
  switch (factor) {
    case Factor::kCred:
      return CredentialsText(rules, asker);
    case Factor::kQueue:
      return DurationText(asker.wait) + " of " + DurationText(rules.queue_full);
    case Factor::kXFactor:
      return DurationText(asker.wait) + " of " + std::to_string(rules.x_full) + " x " + duration;
    case Factor::kProcs:
      return std::to_string(asker.procs) + " of " + std::to_string(largest.procs) + " cpus";
    case Factor::kMem:
      return SizeText(asker.mem) + " of " + SizeText(largest.mem);
    case Factor::kTarget:
      if (!asker.target) return "no target";
      return (asker.planned > asker.wait ? "planned wait " : "waited ") +
             DurationText(std::max(asker.wait, asker.planned)) + " of " +
             DurationText(*asker.target);
    case Factor::kFsGlobal:
    case Factor::kBalance:
      return "";  // told by ShareText and BalanceText
    case Factor::kArea:
      return std::to_string(asker.procs) + " x " + duration + " of " +
             std::to_string(largest.procs) + " x 24h";
  }
  return "";
}

// "12.3 %"
std::string PercentText(int64_t millionths) {
  const int64_t tenths = (millionths + 500) / 1000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

// "@weather has 35.0 %, target 25.0 %", or that there is no share.
std::string ShareText(const ServiceLayer& f, const policy::Asker& asker) {
  std::string who;
  const policy::Standing* now = ShareOf(f.ranking.shares(), asker.who, &who);
  if (now == nullptr || !f.options.fairshare) return "no share";
  const std::vector<policy::Share>& shares = f.options.fairshare->shares;
  const auto share = std::find_if(shares.begin(), shares.end(),
                                  [&](const policy::Share& one) { return one.who == who; });
  if (share == shares.end()) return who;
  const char* kind = share->target ? "target" : share->floor ? "floor" : "ceiling";
  const std::string has =
      now->part.counts ? "has " + PercentText(*now->part.counts) : "nobody has had anything";
  return who + " " + has + ", " + kind + " " + PercentText(share->Wanted() * 1000);
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
         PercentText(std::abs(value) * kMillionths) + " of a window more than it " +
         (value > 0 ? "took" : "gave");
}

std::string BecauseOf(const ServiceLayer& f, Factor factor, const policy::Asker& asker,
                      const policy::Largest& largest) {
  if (factor == Factor::kFsGlobal) return ShareText(f, asker);
  if (factor == Factor::kBalance) return BalanceText(f, asker);
  return Because(factor, *f.options.priority, asker, largest);
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
  const policy::Values values = ValuesOf(rules, asker, largest);
  for (const Factor factor : policy::kAllFactors) {
    const int64_t value = values[static_cast<size_t>(factor)];
    const int64_t weight = rules.WeightOf(factor);
    if (weight == 0) continue;
    out.rows.push_back({.factor = std::string(NameOf(factor)),
                        .value = static_cast<double>(value) / policy::kWhole,
                        .weight = weight,
                        .points = policy::PointsOf(weight, value),
                        .because = BecauseOf(f, factor, asker, largest)});
    out.points += out.rows.back().points;
  }
  if (asker.under_floor) {
    out.rows.push_back({.factor = "floor",
                        .value = 1,
                        .weight = policy::kFloorFirst,
                        .points = policy::kFloorFirst,
                        .because = ShareText(f, asker)});
    out.points += policy::kFloorFirst;
  }
  out.next = NextRanking(f);
  if (!out.place) return;
  out.ways = WaysOf(f, request, asker, largest, *out.place);
}

schemas::PriorityView ViewOf(const ServiceLayer& f, const Turn& t, const Request& request) {
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

}  // namespace

void GetPriority(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (get.requests.size() != 1) {
    return Refuse(f, t, asker, {.code = "usage", .message = "the priority of one job at a time"});
  }
  const Request* request = f.requests.Find(get.requests[0]);
  if (!request) return Refuse(f, t, asker, NoSuchJob(get.requests[0], ""));
  // Of an array the first element that has not ended is shown, as `explain` does.
  for (const RequestId id : TargetsOf(f, *request)) {
    const Request* element = f.requests.Find(id);
    if (!element || element->Ended()) continue;
    request = element;
    break;
  }
  if (request->Ended()) {
    return Refuse(
        f, t, asker,
        {.code = "conflict", .message = Named(*request) + " has ended and waits no more"});
  }
  schemas::Rows rows;
  rows.priority = ViewOf(f, t, *request);
  SendRows(f, t, asker, std::move(rows));
}

}  // namespace muster::meta
