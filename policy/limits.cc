// A start is taken away if its time overlaps one in which there is too little left.
#include "policy/limits.h"

#include <algorithm>
#include <map>
#include <utility>

namespace muster::policy {
namespace {

// Collects the limits of one kind of consumer, and which resources they are for.
class Ladder {
 public:
  Ladder(const std::vector<Limit>& limits, Limit::On on, std::vector<Binding>& out)
      : limits_(limits), on_(on), out_(out) {}

  // Takes the limits of `who`, behind those that earlier steps took for their resource. One that
  // is always valid leaves nothing behind it.
  void Step(const std::string& who, const std::string& consumer, const std::string& user) {
    for (size_t i = 0; i < limits_.size(); ++i) {
      const Limit& limit = limits_[i];
      if (limit.who != who || limit.on != on_) continue;
      const auto before = taken_.find(limit.resource);
      std::vector<size_t> over;
      if (before != taken_.end()) over = before->second;
      const bool always = std::any_of(over.begin(), over.end(), [this](size_t other) {
        return limits_[other].valid.kind == Validity::Kind::kAlways;
      });
      if (always) continue;
      out_.push_back({i, limit.each ? consumer + ", " + user : consumer, std::move(over)});
      now_[limit.resource].push_back(i);
    }
  }
  void EndStep() {
    for (auto& [resource, some] : now_) {
      std::vector<size_t>& all = taken_[resource];
      all.insert(all.end(), some.begin(), some.end());
    }
    now_.clear();
  }

 private:
  const std::vector<Limit>& limits_;
  const Limit::On on_;
  std::vector<Binding>& out_;
  std::map<std::string, std::vector<size_t>> taken_;
  std::map<std::string, std::vector<size_t>> now_;  // in this step
};

}  // namespace

std::vector<Binding> BindingOn(const std::vector<Limit>& limits, Limit::On on,
                               const Credentials& who) {
  std::vector<Binding> out;
  Ladder users(limits, on, out);
  users.Step(who.user, who.user, who.user);
  users.EndStep();
  for (const std::string& group : who.groups) users.Step("@" + group, "@" + group, who.user);
  users.EndStep();
  users.Step(std::string(kEverybody), who.user, who.user);
  const std::pair<const char*, const std::string*> others[] = {
      {"account ", &who.account}, {"qos ", &who.qos}, {"queue ", &who.queue}};
  for (const auto& [word, name] : others) {
    if (name->empty()) continue;
    Ladder ladder(limits, on, out);
    const std::string consumer = word + *name;
    ladder.Step(consumer, consumer, who.user);
    ladder.EndStep();
    ladder.Step(word + std::string(kEverybody), consumer, who.user);
  }
  return out;
}

IntervalSet StartsUnder(int64_t items, const IntervalSet& times, const std::vector<Booked>& booked,
                        int64_t amount, Span length, const IntervalSet& allowed) {
  if (amount <= 0 || allowed.empty()) return allowed;
  std::map<Instant, int64_t> steps;
  const auto change = [&steps](Instant at, int64_t by) { steps[at] += by; };
  for (const Booked& one : booked) {
    if (one.from >= one.to) continue;
    change(one.from, one.amount);
    change(one.to, -one.amount);
  }
  std::vector<Interval> full;
  int64_t used = 0;
  Instant since{INT64_MIN};
  const auto close = [&](Instant at) {
    if (used + amount > items && since < at) full.push_back({since, at});
  };
  for (const auto& [at, by] : steps) {
    close(at);
    used += by;
    since = at;
  }
  close(kFarFuture);
  std::vector<Interval> taken;
  const IntervalSet closed = IntervalSet(std::move(full)).Intersect(times);
  for (const Interval& one : closed.intervals()) {
    // A run that ends as this begins, or begins as it ends, does not overlap it.
    const Instant first =
        one.begin.seconds < INT64_MIN + length.seconds ? one.begin : one.begin - length;
    taken.push_back({first + Span{1}, one.end});
  }
  std::vector<Interval> left;
  Instant from{INT64_MIN};
  const IntervalSet barred(std::move(taken));
  for (const Interval& one : barred.intervals()) {
    if (from < one.begin) left.push_back({from, one.begin});
    from = one.end;
  }
  if (from < kFarFuture) left.push_back({from, kFarFuture});
  return allowed.Intersect(IntervalSet(std::move(left)));
}

}  // namespace muster::policy
