// What a file of changes would do: the promises that break, the starts that move most, then both
// runs beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/phrases.h"
#include "base/units.h"
#include "cli/views/figures.h"
#include "cli/views/format.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

constexpr size_t kRowsShown = 10;
constexpr char kNobody[] = "–";

std::string StartText(std::optional<Instant> at, const ViewOptions& options) {
  return at ? ClockTime(*at, options) : std::string(kNobody);
}

std::string HowText(const Json& row) {
  const auto before = TimeAt(row, "before");
  const auto after = TimeAt(row, "after");
  std::string how = "no start";
  if (before && after) {
    how = *after < *before ? About(*before - *after) + " earlier"
                           : About(*after - *before) + " later";
  } else if (after) {
    how = "new";
  }
  if (FlagAt(row, "breaks")) how += ", breaks its promise";
  const std::string because = TextAt(row, "because");
  return because.empty() ? how : how + ": " + because;
}

std::string MovesText(const Json& run, const ViewOptions& options) {
  const Json& rows = At(run, "rows");
  if (rows.empty()) return "";
  Table table({{.header = "JOB"}, {.header = "USER"}, {.header = "STARTS BY"}, {.header = "HOW"}});
  size_t shown = 0;
  for (const Json& row : rows) {
    if (shown == kRowsShown && !FlagAt(row, "breaks")) break;
    ++shown;
    table.Add({TextAt(row, "job"), TextAt(row, "user"),
               StartText(TimeAt(row, "before"), options) + " → " +
                   StartText(TimeAt(row, "after"), options),
               HowText(row)});
  }
  std::string text = table.Text(options);
  if (shown < rows.size()) {
    text += fmt::format("and {} that move less; --json has them\n", rows.size() - shown);
  }
  return text + '\n';
}

std::string SpanShown(const Json& side, const char* name) {
  const auto seconds = NumberAt(side, name);
  return seconds ? DurationText(Span{static_cast<int64_t>(*seconds + 0.5)}) : kNobody;
}

std::string CountShown(const Json& side, const char* name) {
  return std::to_string(static_cast<int64_t>(NumberAt(side, name).value_or(0)));
}

// The ratio that is called so; "–" if there is none.
std::string Named(const Json& list, const std::string& name, bool percent) {
  for (const Json& one : list) {
    if (TextAt(one, "name") != name) continue;
    const double ratio = NumberAt(one, "ratio").value_or(0);
    return percent ? Percent(ratio) : fmt::format("{:.2f}", ratio);
  }
  return kNobody;
}

// One row for each name that either side has.
void AddNamed(const Json& run, const char* list, const std::string& title, bool percent,
              Table& table) {
  std::vector<std::string> names;
  for (const char* side : {"before", "after"}) {
    for (const Json& one : At(At(run, side), list)) names.push_back(TextAt(one, "name"));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    table.Add({title + name, Named(At(At(run, "before"), list), name, percent),
               Named(At(At(run, "after"), list), name, percent)});
  }
}

std::string SidesText(const Json& run, const ViewOptions& options) {
  const Json& before = At(run, "before");
  const Json& after = At(run, "after");
  if (!before.is_object() || !after.is_object()) return "";
  Table table({{.header = ""},
               {.header = "AS IT IS", .right = true},
               {.header = "CHANGED", .right = true}});
  table.Add({"jobs started", CountShown(before, "started"), CountShown(after, "started")});
  table.Add({"jobs that wait", CountShown(before, "waiting"), CountShown(after, "waiting")});
  table.Add({"wait, mean", SpanShown(before, "wait_s"), SpanShown(after, "wait_s")});
  table.Add({"wait, 95 %", SpanShown(before, "wait_p95_s"), SpanShown(after, "wait_p95_s")});
  const auto slowdown = [](const Json& side) {
    const auto value = NumberAt(side, "slowdown");
    return value ? fmt::format("{:.2f}", *value) : std::string(kNobody);
  };
  table.Add({"slowdown", slowdown(before), slowdown(after)});
  const auto used = [](const Json& side) {
    return Percent(NumberAt(side, "utilisation_ratio").value_or(0));
  };
  table.Add({"processors used", used(before), used(after)});
  AddNamed(run, "shares", "used by ", true, table);
  AddNamed(run, "credits", "credits of ", false, table);
  table.Add({"recalls", CountShown(before, "recalls"), CountShown(after, "recalls")});
  table.Add({"work lost", SpanShown(before, "lost_s"), SpanShown(after, "lost_s")});
  table.Add({"later than promised", CountShown(before, "promises_later"),
             CountShown(after, "promises_later")});
  return table.Text(options) + '\n';
}

std::string CountText(const Json& counts, const char* name) {
  const auto value = NumberAt(counts, name);
  return value ? std::to_string(static_cast<int64_t>(*value)) : "a few or none";
}

std::string CountsText(const Json& counts, const std::string& whose) {
  return whose + CountText(counts, "earlier") + " earlier, " + CountText(counts, "later") +
         " later, " + CountText(counts, "same") + " within a minute of the same";
}

}  // namespace

std::string WhatIfView(const Json& document, const ViewOptions& options) {
  const Json& run = At(document, "run");
  std::string text = MovesText(run, options) + SidesText(run, options);
  const bool all = At(run, "before").is_object();
  text += CountsText(At(run, "moved"), all ? "Starts: " : "Your starts: ") + ".\n";
  if (!all) text += CountsText(At(run, "others"), "Those of others: ") + ".\n";
  const auto breaks = static_cast<size_t>(NumberAt(run, "breaks").value_or(0));
  text += breaks == 0 ? "No promise would break."
                      : fmt::format("{} would break.", Counted(breaks, "promise"));
  text += " Nothing was changed.\n";
  for (const std::string& line : TextsAt(run, "basis")) text += "  " + line + '\n';
  return Finished(text, options);
}

}  // namespace muster::cli::views
