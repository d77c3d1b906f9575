// Products go through 128 bits, so that no fact overflows.
#include "policy/points.h"

#include <algorithm>
#include <utility>

namespace muster::policy {
namespace {

constexpr std::array<std::string_view, kFactors> kNames = {
    "cred", "queue",  "xfactor",   "procs",    "mem",
    "area", "target", "fs_global", "fs_local", "balance"};
constexpr int64_t kDaySeconds = 86'400;
__extension__ using Wide = __int128;

// part / whole in thousandths, at most kWhole; 0 if there is no whole.
int64_t ShareOf(Wide part, Wide whole) {
  if (whole <= 0 || part <= 0) return 0;
  if (part >= whole) return kWhole;
  // Divisions of 128 bits take far longer, and are seldom needed.
  constexpr Wide kNarrow = INT64_MAX / kWhole;
  if (whole <= kNarrow) return static_cast<int64_t>(part) * kWhole / static_cast<int64_t>(whole);
  return static_cast<int64_t>(part * kWhole / whole);
}

Wide DurationOf(Span asked) { return std::max<int64_t>(asked.seconds, 1); }

int64_t QueueOf(const PointsRules& rules, Span wait) {
  return ShareOf(wait.seconds, rules.queue_full.seconds);
}

int64_t XFactorOf(const PointsRules& rules, Span wait, Span duration) {
  return ShareOf(wait.seconds, DurationOf(duration) * rules.x_full);
}

int64_t CredentialsOf(const PointsRules& rules, const Asker& asker) {
  int64_t sum = 0;
  const auto add = [&](const std::string& who) {
    const auto it = rules.credentials.find(who);
    if (it != rules.credentials.end()) sum += it->second;
  };
  const Credentials& who = asker.who;
  add(who.user);
  for (const std::string& group : who.groups) add("@" + group);
  for (const auto& [word, name] :
       {std::pair("queue ", who.queue), std::pair("account ", who.account),
        std::pair("qos ", who.qos)}) {
    if (!name.empty()) add(word + name);
  }
  return std::clamp(sum, -kWhole, kWhole);
}

// 0 up to half of the target, then linear to the whole at the target.
int64_t TargetOf(const Asker& asker) {
  if (!asker.target) return 0;
  const Wide wait = std::max(asker.wait, asker.planned).seconds;
  return ShareOf(2 * wait - asker.target->seconds, asker.target->seconds);
}

}  // namespace

std::string_view NameOf(Factor factor) { return kNames[static_cast<size_t>(factor)]; }

std::optional<Factor> FactorOf(std::string_view name) {
  for (const Factor factor : kAllFactors) {
    if (NameOf(factor) == name) return factor;
  }
  return std::nullopt;
}

Values ValuesOf(const PointsRules& rules, const Asker& asker, const Largest& largest) {
  const Wide duration = DurationOf(asker.duration);
  Values out{};
  const auto value = [&out](Factor factor) -> int64_t& { return out[static_cast<size_t>(factor)]; };
  value(Factor::kCred) = CredentialsOf(rules, asker);
  value(Factor::kQueue) = QueueOf(rules, asker.wait);
  value(Factor::kXFactor) = XFactorOf(rules, asker.wait, asker.duration);
  value(Factor::kProcs) = ShareOf(asker.procs, largest.procs);
  value(Factor::kMem) = ShareOf(asker.mem, largest.mem);
  value(Factor::kArea) = ShareOf(asker.procs * duration, Wide{largest.procs} * kDaySeconds);
  value(Factor::kTarget) = TargetOf(asker);
  value(Factor::kFsGlobal) = std::clamp(asker.share, -kWhole, kWhole);
  value(Factor::kFsLocal) = std::clamp(asker.local_share, -kWhole, kWhole);
  value(Factor::kBalance) = std::clamp(asker.balance, -kWhole, kWhole);
  return out;
}

int64_t WaitPoints(const PointsRules& rules, Span wait, Span duration) {
  return PointsOf(rules.WeightOf(Factor::kQueue), QueueOf(rules, wait)) +
         PointsOf(rules.WeightOf(Factor::kXFactor), XFactorOf(rules, wait, duration));
}

int64_t PointsOf(int64_t weight, int64_t value) {
  const int64_t product = weight * value;
  return (product + (product < 0 ? -kWhole / 2 : kWhole / 2)) / kWhole;
}

int64_t PointsOf(const PointsRules& rules, const Values& values) {
  int64_t sum = 0;
  for (size_t f = 0; f < kFactors; ++f) sum += PointsOf(rules.weights[f], values[f]);
  return sum;
}

int64_t PointsOf(const PointsRules& rules, const Asker& asker, const Largest& largest) {
  const int64_t floor = asker.under_floor ? kFloorFirst : 0;
  return floor + PointsOf(rules, ValuesOf(rules, asker, largest));
}

}  // namespace muster::policy
