// Conditions as site.toml writes them: "ncpus < 4 and (duration < 1h or group in (g1, g2))".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/condition.h"
#include "base/diagnostic.h"

namespace muster::text {

// Names that a condition may use besides user, group, account, qos, queue, class and duration. A
// name in both lists is a resource.
struct ConditionNames {
  std::vector<std::string> resources;
  std::vector<std::string> properties;
};

// Keywords of the language; no resource or property may have such a name.
const std::vector<std::string>& ConditionWords();

//   condition   comparisons joined by "or", "and" and "not", from the loosest to the closest, and
//               grouped by brackets
//   comparison  NAME < <= > >= = != VALUE, or NAME in (VALUE, VALUE, ...); "==" is "=", and
//               "NAME not in (...)" is "not NAME in (...)"
//   NAME        user, group, account, qos, queue, class, duration or one of `names`
//   VALUE       of a resource a whole number or a size (80gb), of duration a duration (12h), else a
//               name or a text in single or double quotes; these only compare by =, != and in
//
// Errors have code "condition", the column in `text` (bytes, from 1) and a correction. Refused are
// malformed conditions, undeclared names, and conditions beyond the limits of Condition.
Diagnosed<Condition> ParseCondition(std::string_view text, const ConditionNames& names);

// Prints a condition with as few brackets as possible; inverse of ParseCondition. "" for the empty
// condition. REQUIRES names and texts that the language can express (no text has both quotes).
std::string ConditionText(const Condition& condition);

}  // namespace muster::text
