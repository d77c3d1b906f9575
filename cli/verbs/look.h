// What the verbs that only look share.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/verbs/verb.h"

namespace muster::cli {

using View = std::string (*)(const Json&, const views::ViewOptions&);

// The document with --json (with `line` as one of several), else its view.
void Show(const Context& context, const Json& document, View view, bool line = false);

Failure NoWords(const std::string& verb, const std::string& word);
// Names by comma; none of "".
std::vector<std::string> SplitSites(const std::string& text);
// --within and the like: more than nothing, at most a year. Errors are usage errors.
Expect<Span> ReadSpan(const std::string& option, const std::string& text);
inline constexpr Span kLongestSpan{366 * 86400};

// Sites that were named and do not exist are an error, not an empty answer.
template <class Row>
std::optional<Failure> MissingSite(const std::vector<std::string>& wanted,
                                   const std::vector<Row>& rows) {
  for (const std::string& name : wanted) {
    const bool there =
        std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
    if (!there)
      return Fail("not-found", "there is no site '" + name + "'", "'muster sites' lists them");
  }
  return std::nullopt;
}

// As `wanted` names them: exactly one job. With others: an error that names `verb`.
Expect<RequestId> OneJob(MetaClient& client, const std::vector<std::string>& words,
                         const std::string& verb);

}  // namespace muster::cli
