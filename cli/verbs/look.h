// Shared by the verbs that only show something.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/verbs/verb.h"

namespace muster::cli {

using View = std::string (*)(const Json&, const views::ViewOptions&);

// Prints the document with --json (`line`: in one line, as one of several), else its view.
void Show(const Context& context, const Json& document, View view, bool line = false);

Failure NoWords(const std::string& verb, const std::string& word);
// Splits comma-separated names; empty for "".
std::vector<std::string> SplitSites(const std::string& text);
// Parses a span of 1 s to a year, as for --within. Errors are usage errors.
Expect<Span> ReadSpan(const std::string& option, const std::string& text);
inline constexpr Span kLongestSpan{366 * 86400};

// An error if a named site is not among the rows.
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

// The one job that `words` name. Error: none or several are named; the message names `verb`.
Expect<RequestId> OneJob(MetaClient& client, const std::vector<std::string>& words,
                         const std::string& verb);

}  // namespace muster::cli
