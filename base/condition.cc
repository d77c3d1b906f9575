// Evaluates conditions on a stack, which is kept in the bits of one word.
#include "base/condition.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace muster {
namespace {

using Operator = Comparison::Operator;
using Subject = Comparison::Subject;

bool HoldsFor(int64_t number, const Comparison& comparison) {
  const std::vector<int64_t>& numbers = comparison.numbers;
  switch (comparison.op) {
    case Operator::kLess:
      return number < numbers[0];
    case Operator::kAtMost:
      return number <= numbers[0];
    case Operator::kAtLeast:
      return number >= numbers[0];
    case Operator::kMore:
      return number > numbers[0];
    case Operator::kEqual:
      return number == numbers[0];
    case Operator::kUnequal:
      return number != numbers[0];
    case Operator::kIn:
      return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
  }
  MUSTER_CHECK(false);
}

bool IsOneOf(std::string_view text, const std::vector<std::string>& texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// `found`: the fact equals one of the comparison's texts.
bool HoldsIf(bool found, Operator op) { return op == Operator::kUnequal ? !found : found; }

// Whether a text that a request may lack is one of the comparison's.
bool HoldsFor(std::string_view text, const Comparison& comparison) {
  return HoldsIf(IsOneOf(text, comparison.texts), comparison.op);
}

}  // namespace

bool IsOfTexts(Subject subject) {
  return subject != Subject::kDuration && subject != Subject::kAmount;
}

Condition::Condition(Comparison comparison) : pending_(1) {
  const bool texts = IsOfTexts(comparison.subject);
  const size_t values = texts ? comparison.texts.size() : comparison.numbers.size();
  MUSTER_CHECK(comparison.op == Operator::kIn ? values >= 1 : values == 1);
  MUSTER_CHECK(!texts || comparison.op >= Operator::kEqual);
  steps_.push_back({.kind = Kind::kComparison, .comparison = std::move(comparison)});
}

Condition Condition::Not(Condition operand) {
  MUSTER_CHECK(!operand.empty());
  operand.steps_.push_back({.kind = Kind::kNot, .comparison = {}});
  return operand;
}

Condition Condition::And(Condition left, Condition right) {
  return Join(Kind::kAnd, std::move(left), std::move(right));
}

Condition Condition::Or(Condition left, Condition right) {
  return Join(Kind::kOr, std::move(left), std::move(right));
}

Condition Condition::Join(Kind kind, Condition left, Condition right) {
  MUSTER_CHECK(!left.empty() && !right.empty());
  left.pending_ = std::max(left.pending_, right.pending_ + 1);
  MUSTER_CHECK(left.pending_ <= kMostPending);
  left.steps_.insert(left.steps_.end(), std::make_move_iterator(right.steps_.begin()),
                     std::make_move_iterator(right.steps_.end()));
  left.steps_.push_back({.kind = kind, .comparison = {}});
  return left;
}

size_t Condition::comparisons() const {
  return static_cast<size_t>(std::count_if(steps_.begin(), steps_.end(), [](const Step& step) {
    return step.kind == Kind::kComparison;
  }));
}

bool Holds(const Comparison& comparison, const Facts& facts) {
  switch (comparison.subject) {
    case Subject::kUser:
      return HoldsFor(facts.user, comparison);
    case Subject::kAccount:
      return HoldsFor(facts.account, comparison);
    case Subject::kQos:
      return HoldsFor(facts.qos, comparison);
    case Subject::kQueue:
      return HoldsFor(facts.queue, comparison);
    case Subject::kClass:
      return HoldsFor(facts.interactive ? Comparison::kInteractive : Comparison::kBatch,
                      comparison);
    case Subject::kGroup: {
      const bool member =
          std::any_of(facts.groups.begin(), facts.groups.end(),
                      [&](const std::string& group) { return IsOneOf(group, comparison.texts); });
      return HoldsIf(member, comparison.op);
    }
    case Subject::kDuration:
      return HoldsFor(facts.duration.seconds, comparison);
    case Subject::kAmount:
      return HoldsFor(facts.amounts.Get(comparison.name), comparison);
    case Subject::kProperty: {
      const auto property = facts.properties.find(comparison.name);
      const bool found =
          property != facts.properties.end() && IsOneOf(property->second, comparison.texts);
      return HoldsIf(found, comparison.op);
    }
  }
  MUSTER_CHECK(false);
}

bool Holds(const Condition& condition, const Facts& facts) {
  if (condition.empty()) return true;
  uint64_t results = 0;  // stack; the newest result is the lowest bit
  for (const Condition::Step& step : condition.steps_) {
    switch (step.kind) {
      case Condition::Kind::kComparison:
        results = (results << 1) | (Holds(step.comparison, facts) ? 1 : 0);
        break;
      case Condition::Kind::kNot:
        results ^= 1;
        break;
      case Condition::Kind::kAnd:
        results = (results >> 1) & (results | ~uint64_t{1});
        break;
      case Condition::Kind::kOr:
        results = (results >> 1) | (results & 1);
        break;
    }
  }
  return (results & 1) != 0;
}

}  // namespace muster
