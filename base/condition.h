// A condition on who may use something, as a value: "ncpus < 4 and duration < 1h", "group in (g1,
// g2)". site.toml has one condition language, for `only` of nodes and `open_to` of pools (OpenCCS
// Sect. 3, FreePools, and Sect. 5.4, node-specific limits). base/text/condition.h parses and prints
// it.
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

// The facts about a request that a condition is evaluated on. Members are views; they must outlive
// the evaluation.
//
// `only` of a node is evaluated per chunk: `amounts` and `properties` are those of one set of the
// chunk.
// `open_to` of a pool is evaluated on the whole request at this site: `amounts` is the sum over its
// chunks plus its job-wide resources (OpenCCS: jRS), and `properties` is empty.
struct Facts {
  std::string_view user;
  std::span<const std::string> groups;  // of the user, in any order
  Span duration;
  const ResourceSet& amounts;  // an absent resource counts as 0
  const std::map<std::string, std::string>& properties;
  std::string_view account = {};
  std::string_view qos = {};
  std::string_view queue = {};
  bool interactive = false;
};

// One comparison. Amounts and durations (in seconds) are compared as numbers, everything else as
// text. kIn takes one or more values, all other operators exactly one.
struct Comparison {
  enum class Subject : uint8_t {
    kUser,
    kGroup,
    kDuration,
    kAmount,
    kProperty,
    kAccount,
    kQos,
    kQueue,
    kClass  // kInteractive or kBatch
  };
  static constexpr std::string_view kInteractive = "interactive";
  static constexpr std::string_view kBatch = "batch";
  enum class Operator : uint8_t { kLess, kAtMost, kAtLeast, kMore, kEqual, kUnequal, kIn };
  Subject subject = Subject::kDuration;
  Operator op = Operator::kEqual;
  std::string name;                // of the resource or property
  std::vector<int64_t> numbers;    // kDuration, kAmount
  std::vector<std::string> texts;  // all others; only kEqual, kUnequal and kIn
  bool operator==(const Comparison&) const = default;
};

// An expression tree in postfix order: operands come before their operator, so that evaluation
// allocates nothing.
class Condition {
 public:
  enum class Kind : uint8_t { kComparison, kNot, kAnd, kOr };
  struct Step {
    Kind kind = Kind::kComparison;
    Comparison comparison;  // used by kComparison only
    bool operator==(const Step&) const = default;
  };

  // Limits: nesting depth of brackets and "not", and number of comparisons.
  static constexpr size_t kDeepest = 20;
  static constexpr size_t kMostComparisons = 256;

  // The empty condition: always true.
  Condition() = default;
  // REQUIRES: the members of `comparison` obey the comments of Comparison.
  explicit Condition(Comparison comparison);
  // REQUIRES: no operand is empty, and the result is within the limits above. (Checks only that at
  // most kMostPending operands are pending.)
  static Condition Not(Condition operand);
  static Condition And(Condition left, Condition right);
  static Condition Or(Condition left, Condition right);

  bool empty() const { return steps_.empty(); }
  const std::vector<Step>& steps() const { return steps_; }
  size_t comparisons() const;

  bool operator==(const Condition&) const = default;

 private:
  // Evaluation holds at most one pending operand of "and" and one of "or" per depth, and the last
  // operand.
  static constexpr size_t kMostPending = 2 * (kDeepest + 1) + 1;
  static_assert(kMostPending < 64, "Holds keeps what is pending in the bits of one word");

  static Condition Join(Kind kind, Condition left, Condition right);

  std::vector<Step> steps_;
  size_t pending_ = 0;  // most intermediate results that evaluation holds at a time

  friend bool Holds(const Condition& condition, const Facts& facts);
};

// Whether what it compares are texts; else they are numbers.
bool IsOfTexts(Comparison::Subject subject);

// Whether the condition is true for these facts. For a group, "=" and "in" mean that the user is a
// member, "!=" that the user is not. An absent property equals nothing.
bool Holds(const Condition& condition, const Facts& facts);
bool Holds(const Comparison& comparison, const Facts& facts);

}  // namespace muster
