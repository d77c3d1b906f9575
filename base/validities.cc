// Users and groups without an entry are always valid.
#include "base/validities.h"

#include <algorithm>
#include <utility>

#include "base/phrases.h"

namespace muster {
namespace {

bool HoldsAt(const Validities& all, const Validities::One& one, Instant now) {
  return !Intervals(one.valid, all.zone, now, now + Span{1}, 1).intervals.empty();
}

IntervalSet TimesOf(const Validities& all, const Validities::One& one, Instant now) {
  const bool repeats = one.valid.kind == Validity::Kind::kCron;
  const Instant until = repeats ? now + kValidityAhead : kFarFuture;
  return Intervals(one.valid, all.zone, now, until, kValidityTimes).intervals;
}

// The groups of `who`, each with its validity. Empty if `who` is in no group, or in one that is
// always valid: then groups do not limit `who`.
std::vector<std::pair<std::string, const Validities::One*>> Binding(const Validities& all,
                                                                    const Member& who) {
  std::vector<std::pair<std::string, const Validities::One*>> out;
  for (const std::string& group : who.groups) {
    const auto it = all.groups.find(group);
    if (it == all.groups.end()) return {};
    out.emplace_back(group, &it->second);
  }
  return out;
}

}  // namespace

std::vector<std::string> GroupsAt(const Validities& all, const Member& who, Instant now) {
  std::vector<std::string> out;
  for (const std::string& group : who.groups) {
    const auto it = all.groups.find(group);
    if (it == all.groups.end() || HoldsAt(all, it->second, now)) out.push_back(group);
  }
  return out;
}

IntervalSet StartsOf(const Validities& all, const Member& who, const IntervalSet& starts,
                     Instant now) {
  const auto user = all.users.find(who.user);
  const auto binding = Binding(all, who);
  if (user == all.users.end() && binding.empty()) return starts;
  IntervalSet out = starts;
  if (user != all.users.end()) out = out.Intersect(TimesOf(all, user->second, now));
  std::vector<Interval> times;
  for (const auto& [group, one] : binding) {
    const IntervalSet of_group = TimesOf(all, *one, now);
    times.insert(times.end(), of_group.intervals().begin(), of_group.intervals().end());
  }
  if (!binding.empty()) out = out.Intersect(IntervalSet(std::move(times)));
  return out.FirstIntervals(kValidityTimes);
}

bool CountsAt(const Validities& all, const Member& who, Instant now) {
  const auto it = all.users.find(who.user);
  if (it != all.users.end() && !HoldsAt(all, it->second, now)) return false;
  const auto binding = Binding(all, who);
  return binding.empty() || std::any_of(binding.begin(), binding.end(), [&](const auto& group) {
           return HoldsAt(all, *group.second, now);
         });
}

std::string WhenText(const Validities& all, const Member& who) {
  std::vector<std::string> texts;
  if (const auto it = all.users.find(who.user); it != all.users.end()) {
    texts.push_back(who.user + " is valid " + it->second.text);
  }
  for (const auto& [group, one] : Binding(all, who)) {
    texts.push_back("@" + group + " is valid " + one->text);
  }
  return Joined(texts, "; ");
}

}  // namespace muster
