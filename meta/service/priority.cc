// Values are worked out as for the order itself, for the same moment.
#include "meta/service/priority.h"

#include <algorithm>
#include <utility>

#include "base/phrases.h"
#include "base/units.h"
#include "meta/requests/array_jobs.h"
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
  add(asker.user);
  for (const std::string& group : asker.groups) add("@" + group);
  add("queue " + asker.queue);
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
    case Factor::kFsGlobal:
      return "";  // told by ShareText
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
  const ShareNow* now = ShareOf(f.ranking.shares(), asker.user, asker.groups, &who);
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

// The place in its queue that the request would have with a shorter duration, if that is earlier.
std::optional<schemas::PriorityWay> Shorter(const ServiceLayer& f, const Request& request,
                                            policy::Asker asker, const policy::Largest& largest,
                                            Span duration, uint64_t place) {
  const policy::PointsRules& rules = *f.options.priority;
  asker.duration = duration;
  const int64_t points = PointsOf(rules, asker, largest);
  Rank rank = RankOf(request);
  rank.points = -points;
  const uint64_t then = f.room.StandingOf(rank).place;
  if (then >= place) return std::nullopt;
  return schemas::PriorityWay{.argv = {"alter", ToText(request.id()), "-t", DurationText(duration)},
                              .points = points,
                              .place = then};
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
                        .because = factor == Factor::kFsGlobal
                                       ? ShareText(f, asker)
                                       : Because(factor, rules, asker, largest)});
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
  for (const int64_t part : {2, 4}) {
    const Span duration{asker.duration.seconds / part};
    if (duration < Span{1}) continue;
    auto way = Shorter(f, request, asker, largest, duration, *out.place);
    const bool better = way && (out.ways.empty() || way->place < out.ways.back().place);
    if (better) out.ways.push_back(*std::move(way));
  }
  std::reverse(out.ways.begin(), out.ways.end());
}

schemas::PriorityView ViewOf(const ServiceLayer& f, const Turn& t, const Request& request) {
  const schemas::RequestRecord& record = request.record();
  schemas::PriorityView out{.job = ToText(request.id()),
                            .name = record.spec.name,
                            .user = record.requester.user,
                            .queue = record.spec.queue,
                            .state = record.state,
                            .ordered = f.options.priority.has_value()};
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
