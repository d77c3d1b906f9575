// Why: what stands in a job's way, and what sites were asked and answered.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/words.h"
#include "base/units.h"
#include "cli/views/figures.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

std::string ResourceWord(const std::string& resource) {
  static const std::map<std::string, std::string> kWords = {
      {"ncpus", "cpus"}, {"ngpus", "gpus"}, {"mem", "memory"}};
  const auto known = kWords.find(resource);
  return known == kWords.end() ? resource : known->second;
}

// "Job 42 starts by 22:39:30, not before 22:38:00, because of part 42.3:".
std::string Headline(const Json& document, const std::string& binding_part,
                     const ViewOptions& options) {
  const Json& starts_by = At(document, "starts_by");
  const auto at = TimeAt(starts_by, "at");
  std::string text = "Job " + TextAt(document, "job");
  if (at) {
    text += (FlagAt(starts_by, "firm") ? " starts by " : " is bound to start by ") +
            ClockTime(*at, options);
  } else {
    text += " has no promise";
  }
  if (const auto start = TimeAt(document, "start")) {
    text += ", not before " + ClockTime(*start, options);
  }
  const Json& reason = At(document, "reason");
  if (binding_part.empty()) {
    return text + (reason.is_object() ? ": " + ReasonText(reason) : "") + ".\n";
  }
  const bool several = At(document, "parts").size() > 1;
  return text + ", because of" + (several ? " part " + binding_part : "") + ":\n";
}

struct Blocker {
  std::string where;
  std::string resource;
  std::string what;
  std::string until;
  bool binds = false;
};

std::vector<Blocker> BlockersOf(const Json& part, const Json& binding, const ViewOptions& options) {
  std::vector<Blocker> blockers;
  bool marked = false;
  for (const Json& reason : At(part, "reasons")) {
    const Json& subject = At(reason, "subject");
    Blocker blocker;
    const std::string site = TextAt(subject, "site");
    blocker.where = site.empty() ? TextAt(part, "site") : site;
    if (const std::string node = TextAt(subject, "node"); !node.empty()) {
      blocker.where += "/" + node;
    }
    blocker.resource = ResourceWord(TextAt(reason, "resource"));
    blocker.what = ReasonText(reason);
    if (const auto until = TimeAt(reason, "until")) {
      blocker.until = "until " + ClockTime(*until, options);
    }
    blocker.binds = !marked && reason == At(binding, "reason");
    marked = marked || blocker.binds;
    blockers.push_back(std::move(blocker));
  }
  return blockers;
}

std::string BlockerLines(const std::vector<Blocker>& blockers) {
  size_t widths[3] = {0, 0, 0};
  for (const Blocker& blocker : blockers) {
    widths[0] = std::max(widths[0], Columns(blocker.where));
    widths[1] = std::max(widths[1], Columns(blocker.resource));
    widths[2] = std::max(widths[2], Columns(blocker.what));
  }
  std::string text;
  for (const Blocker& blocker : blockers) {
    std::string line = "  " + Padded(blocker.where, widths[0] + 2);
    if (widths[1] > 0) line += Padded(blocker.resource, widths[1] + 2);
    line += Padded(blocker.what, widths[2] + 2) + blocker.until;
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + (blocker.binds ? "   <- binds" : "") + '\n';
  }
  return text;
}

// "Parts 42.1 (from 22:31:00) and 42.2 (from 22:30:00) would be ready earlier.".
std::string ReadyLine(const Json& document, const ViewOptions& options) {
  std::vector<std::string> parts;
  for (const Json& ready : At(document, "ready")) {
    const auto from = TimeAt(ready, "from");
    parts.push_back(TextAt(ready, "part") + " (from " + (from ? ClockTime(*from, options) : "?") +
                    ")");
  }
  if (parts.empty()) return "";
  const std::string last = parts.back();
  parts.pop_back();
  const std::string list =
      parts.empty() ? "Part " + last : "Parts " + Joined(parts, ", ") + " and " + last;
  return list + " would be ready earlier.\n";
}

std::string Changes(const Json& document, const ViewOptions& options) {
  Table table({{.header = "CHANGE"},
               {.header = "STARTS BY"},
               {.header = "EARLIER"},
               {.header = "COMMAND"}});
  for (const Json& change : At(document, "changes")) {
    std::vector<std::string> words;
    for (const std::string& word : TextsAt(change, "argv")) {
      words.push_back(text::ShellQuoted(word));
    }
    const auto at = TimeAt(change, "starts_by");
    const Span earlier{static_cast<int64_t>(NumberAt(change, "earlier_s").value_or(0))};
    table.Add({TextAt(change, "text"), at ? ClockTime(*at, options) : kNone, About(earlier),
               words.empty() ? kNone : Joined(words, " ")});
  }
  return table.empty() ? "" : table.Text(options);
}

}  // namespace

std::string ExplainView(const Json& document, const ViewOptions& options) {
  const Json& binding = At(document, "binding");
  std::string text = Headline(document, TextAt(binding, "part"), options);
  for (const Json& part : At(document, "parts")) {
    if (FlagAt(part, "binds")) text += BlockerLines(BlockersOf(part, binding, options));
  }
  text += ReadyLine(document, options) + Changes(document, options);
  for (const std::string& line : TextsAt(document, "no_help")) text += line + '\n';
  return Finished(text, options);
}

std::string VerdictsView(const Json& document, const ViewOptions& options) {
  Table table({{.header = "ROUND", .right = true},
               {.header = "AT"},
               {.header = "SITE"},
               {.header = "PART"},
               {.header = "HOW"},
               {.header = "ASKED"},
               {.header = "VERDICT"},
               {.header = "START"},
               {.header = "BECAUSE"}});
  const auto or_none = [](std::string word) { return word.empty() ? kNone : word; };
  for (const Json& row : At(document, "verdicts")) {
    const auto at = TimeAt(row, "at");
    const auto asked = TimeAt(row, "asked");
    auto start = TimeAt(row, "start");
    // A counter names the starts that would do; the first is what was offered.
    const Json& starts = At(row, "starts");
    if (!start && starts.is_array() && !starts.empty()) start = TimeAt(starts[0], "from");
    const Json& reason = At(row, "reason");
    table.Add({std::to_string(static_cast<uint64_t>(NumberAt(row, "round").value_or(0))),
               at ? ClockTime(*at, options) : "?", or_none(TextAt(row, "site")),
               or_none(TextAt(row, "part")), or_none(TextAt(row, "how")),
               asked ? ClockTime(*asked, options) : kNone, or_none(TextAt(row, "verdict")),
               start ? ClockTime(*start, options) : kNone,
               reason.is_object() ? ReasonText(reason) : kNone});
  }
  if (table.empty()) {
    return Finished("no site has been asked about job " + TextAt(document, "job") + " yet\n",
                    options);
  }
  return Finished(table.Text(options), options);
}

}  // namespace muster::cli::views
