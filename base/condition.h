// Who may use something, as a value: "ncpus < 4 and duration < 1h", "group in (g1, g2)". The one
// condition language of site.toml: `only` of nodes and `open_to` of pools (OpenCCS Sect. 3,
// FreePools, and Sect. 5.4, node-specific limits). base/text/condition.h reads and writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/resources.h"
#include "base/time.h"

namespace muster {

// What a condition is judged on. All views: they live as long as the question.
//
// `only` of nodes is judged on one chunk: `amounts` and `properties` are those of one set of it.
// `open_to` of pools is judged on the whole request as this site has it: `amounts` is the sum over
// its chunks and of what it asks for job-wide (OpenCCS: its jRS), and `properties` is empty.
struct Facts {
  std::string_view user;
  std::span<const std::string> groups;  // of the user, in any order
  Span duration;
  const ResourceSet& amounts;  // a resource that is not in it counts as 0
  const std::map<std::string, std::string>& properties;
};

// One comparison. Of amounts and durations (in seconds) the numbers count, of everything else the
// texts. kIn has any number of values, all others exactly one.
struct Comparison {
  enum class Subject : uint8_t { kUser, kGroup, kDuration, kAmount, kProperty };
  enum class Operator : uint8_t { kLess, kAtMost, kAtLeast, kMore, kEqual, kUnequal, kIn };
  Subject subject = Subject::kDuration;
  Operator op = Operator::kEqual;
  std::string name;                // of the resource or property
  std::vector<int64_t> numbers;    // kDuration, kAmount
  std::vector<std::string> texts;  // kUser, kGroup, kProperty; only kEqual, kUnequal and kIn
  bool operator==(const Comparison&) const = default;
};

// A condition as a small tree, kept in the order in which it is worked out: operands before what
// joins them, so that no step needs memory.
class Condition {
 public:
  enum class Kind : uint8_t { kComparison, kNot, kAnd, kOr };
  struct Step {
    Kind kind = Kind::kComparison;
    Comparison comparison;  // of kComparison
    bool operator==(const Step&) const = default;
  };

  // Brackets and "not" inside each other, and comparisons in one condition.
  static constexpr size_t kDeepest = 20;
  static constexpr size_t kMostComparisons = 256;

  // Always holds.
  Condition() = default;
  // REQUIRES: it has values as Comparison says.
  explicit Condition(Comparison comparison);
  // REQUIRES: no operand is empty, and the result is within the limits above (checked: at most
  // kMostPending operands wait for their partner).
  static Condition Not(Condition operand);
  static Condition And(Condition left, Condition right);
  static Condition Or(Condition left, Condition right);

  bool empty() const { return steps_.empty(); }
  const std::vector<Step>& steps() const { return steps_; }
  size_t comparisons() const;

  bool operator==(const Condition&) const = default;

 private:
  // One per "and" and one per "or" at each depth, and the last.
  static constexpr size_t kMostPending = 2 * (kDeepest + 1) + 1;
  static_assert(kMostPending < 64, "Holds keeps what is pending in the bits of one word");

  static Condition Join(Kind kind, Condition left, Condition right);

  std::vector<Step> steps_;
  size_t pending_ = 0;  // at most so many results wait at a time while it is worked out

  friend bool Holds(const Condition& condition, const Facts& facts);
};

// Whether it holds. A group is "=" and "in" if the user is a member, "!=" if not. A property that
// is not there equals nothing.
bool Holds(const Condition& condition, const Facts& facts);
bool Holds(const Comparison& comparison, const Facts& facts);

}  // namespace muster
