// Values are those of the order itself.
#include "policy/shown/rows.h"

#include <algorithm>

#include "base/phrases.h"
#include "base/units.h"

namespace muster::policy {
namespace {

constexpr int64_t kThousand = 1000;

std::optional<double> Ratio(std::optional<int64_t> amount, int64_t whole) {
  if (!amount) return std::nullopt;
  return static_cast<double>(*amount) / static_cast<double>(whole);
}

// "kim 50, @weather 300", or "nothing given".
std::string CredentialsText(const PointsRules& rules, const Asker& asker) {
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

}  // namespace

std::string Because(Factor factor, const PointsRules& rules, const Asker& asker,
                    const Largest& largest) {
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
    case Factor::kFsLocal:
    case Factor::kBalance:
      return "";
    case Factor::kArea:
      return std::to_string(asker.procs) + " x " + duration + " of " +
             std::to_string(largest.procs) + " x 24h";
  }
  return "";
}

std::string PercentText(int64_t millionths) {
  const int64_t tenths = (millionths + 500) / kThousand;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string TextOf(const Share& share, const Part& part) {
  const char* kind = share.target ? "target" : share.floor ? "floor" : "ceiling";
  const std::string has =
      part.counts ? "has " + PercentText(*part.counts) : "nobody has had anything";
  return share.who + " " + has + ", " + kind + " " + PercentText(share.Wanted() * kThousand);
}

std::vector<schemas::PriorityRow> RowsOf(const PointsRules& rules, const Asker& asker,
                                         const Largest& largest, Factor floor_of,
                                         const Elsewhere& elsewhere) {
  std::vector<schemas::PriorityRow> out;
  const Values values = ValuesOf(rules, asker, largest);
  for (const Factor factor : kAllFactors) {
    const int64_t value = values[static_cast<size_t>(factor)];
    const int64_t weight = rules.WeightOf(factor);
    if (weight == 0) continue;
    std::string because = Because(factor, rules, asker, largest);
    if (because.empty()) because = elsewhere(factor);
    out.push_back({.factor = std::string(NameOf(factor)),
                   .value = static_cast<double>(value) / kWhole,
                   .weight = weight,
                   .points = PointsOf(weight, value),
                   .because = std::move(because)});
  }
  if (asker.under_floor) {
    out.push_back({.factor = "floor",
                   .value = 1,
                   .weight = kFloorFirst,
                   .points = kFloorFirst,
                   .because = elsewhere(floor_of)});
  }
  return out;
}

schemas::ShareRow RowOf(const Share& share, const Standing& standing,
                        std::optional<Instant> new_work) {
  return {.who = share.who,
          .target_ratio = Ratio(share.target, kThousand),
          .floor_ratio = Ratio(share.floor, kThousand),
          .ceiling_ratio = Ratio(share.ceiling, kThousand),
          .used_ratio = Ratio(standing.part.used, kMillion),
          .promised_ratio = Ratio(standing.part.booked, kMillion),
          .counts_ratio = Ratio(standing.part.counts, kMillion),
          .value = *Ratio(standing.value, kThousand),
          .under_floor = standing.under_floor,
          .new_work = new_work,
          .parent = share.parent.empty() ? std::nullopt : std::optional(share.parent)};
}

}  // namespace muster::policy
