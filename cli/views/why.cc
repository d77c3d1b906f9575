// Explanations: what blocks a job, and what sites were asked and answered.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/phrases.h"
#include "base/text/words.h"
#include "base/units.h"
#include "cli/views/figures.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

constexpr size_t kNamed = 6;  // most jobs that are named of those ahead of a waiting job

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
  const auto start = TimeAt(document, "start");
  if (start && !At(document, "queued").is_object()) {
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

// "Part 42.1 is ready at 22:31:00, after job 36 (ana) on lakes/n1.", for parts that are ready
// before the start: they do not determine it.
std::string ReadyLines(const Json& document, const ViewOptions& options) {
  std::string text;
  const auto start = TimeAt(document, "start");
  for (const Json& part : At(document, "parts")) {
    const auto from = TimeAt(part, "from");
    if (FlagAt(part, "binds") || !from || (start && *from >= *start)) continue;
    text += "Part " + TextAt(part, "part") + " is ready at " + ClockTime(*from, options);
    const Json& reasons = At(part, "reasons");
    if (reasons.is_array() && !reasons.empty()) {
      const Json& subject = At(reasons[0], "subject");
      const std::string node = TextAt(subject, "node");
      text += ", after " + ReasonText(reasons[0]);
      if (!node.empty()) text += " on " + TextAt(subject, "site") + "/" + node;
    }
    text += ".\n";
  }
  return text;
}

// How a job without a place waits in its queue.
std::string QueueLines(const Json& document, const ViewOptions& options) {
  const Json& queued = At(document, "queued");
  if (!queued.is_object()) return "";
  const auto number = [&queued](const char* field) {
    return std::to_string(static_cast<uint64_t>(NumberAt(queued, field).value_or(0)));
  };
  std::string text = "Queue " + TextAt(queued, "queue") + ": number " + number("place") + " of " +
                     number("waiting") + "; the next block takes " + number("leaving");
  if (const auto at = TimeAt(queued, "block_at")) text += ", at " + ClockTime(*at, options);
  const std::string block = number("block");
  text += block == "1" ? ".\nIt leaves with that block" : ".\nIt leaves with block " + block;
  text += ", packed by " + TextAt(queued, "packing") + ".\n";
  std::vector<std::string> sites = TextsAt(queued, "sites");
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  if (sites.empty()) return text;
  text += "Laid out at " + Joined(sites);
  std::vector<std::string> nearest = TextsAt(queued, "nearest");
  if (nearest.empty()) return text + " before all others.\n";
  const auto ahead = static_cast<size_t>(NumberAt(queued, "ahead").value_or(0));
  if (nearest.size() > kNamed) nearest.resize(kNamed);
  return fmt::format("{} behind {}: {}{}.\n", text, Counted(ahead, "job"), Joined(nearest),
                     ahead > nearest.size() ? ", …" : "");
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
    table.Add({TextAt(change, "text"), at ? ClockTime(*at, options) : kNone,
               earlier > Span{0} ? About(earlier) : kNone,
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
  text +=
      QueueLines(document, options) + ReadyLines(document, options) + Changes(document, options);
  for (const std::string& line : TextsAt(document, "no_help")) text += line + '\n';
  for (const std::string& line : TextsAt(document, "more")) text += line + '\n';
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
    // A counter has the possible starts; the first one is shown.
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
