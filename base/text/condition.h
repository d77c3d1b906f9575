// Conditions as site.toml writes them: "ncpus < 4 and (duration < 1h or group in (g1, g2))".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/condition.h"
#include "base/diagnostic.h"

namespace muster::text {

// What a condition may name besides user, group and duration. A name that is both is a resource.
struct ConditionNames {
  std::vector<std::string> resources;
  std::vector<std::string> properties;
};

// What a condition is made of; none of them can be the name of a resource or property in one.
const std::vector<std::string>& ConditionWords();

//   condition   "or" joins what "and" joins; "not", then brackets, bind closer
//   comparison  NAME < <= > >= = != VALUE, or NAME in (VALUE, VALUE, ...); "==" is "=", and
//               "NAME not in (...)" is "not NAME in (...)"
//   NAME        user, group, duration or one of `names`
//   VALUE       of a resource a whole number or a size (80gb), of duration a duration (12h), else a
//               name or a text in single or double quotes; these only compare by =, != and in
//
// Refused, with code "condition", the column in `text` (bytes, from 1) and what would be right:
// what is not of this form, names that nobody declared, and more than Condition's limits.
Diagnosed<Condition> ParseCondition(std::string_view text, const ConditionNames& names);

// With as few brackets as mean the same; ParseCondition reads it back as an equal value. "" if it
// is empty. REQUIRES: names and texts that the language can write (no text has both quotes).
std::string ConditionText(const Condition& condition);

}  // namespace muster::text
