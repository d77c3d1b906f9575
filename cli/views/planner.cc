// Views of an altered job, a reservation, limits, and what a command would move. cli.md section 3.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/phrases.h"
#include "cli/views/figures.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

// The newest event of this code; null if there is none.
const Json& LastEvent(const Json& job, std::string_view code) {
  static const Json kNothing;
  const Json& events = At(job, "events");
  if (!events.is_array()) return kNothing;
  for (auto it = events.rbegin(); it != events.rend(); ++it) {
    if (TextAt(*it, "code") == code) return *it;
  }
  return kNothing;
}

// The figures before the newest alteration; null if it did not change them.
const Json& FiguresBefore(const Json& job) {
  static const Json kNothing;
  const Json& history = At(job, "history");
  const Json& altered = LastEvent(job, "altered");
  if (!history.is_array() || history.size() < 2 || !altered.is_object()) return kNothing;
  const Json& last = history[history.size() - 1];
  const bool moved_it =
      TextAt(last, "at") >= TextAt(altered, "at") && TextAt(At(last, "cause"), "code") == "user";
  return moved_it ? At(history[history.size() - 2], "figures") : kNothing;
}

// "unchanged", "10m earlier", "5m later".
std::string Moved(std::optional<Instant> before, Instant after) {
  if (!before || *before == after) return "unchanged";
  return after < *before ? About(*before - after) + " earlier" : About(after - *before) + " later";
}

std::string FigureLine(const char* label, std::optional<Instant> before,
                       std::optional<Instant> after, const ViewOptions& options) {
  if (!after) return "";
  return "  " + Padded(label, 11) + ClockTime(*after, options) + "  " + Moved(before, *after) +
         '\n';
}

// The end as "01:00:00" within a day of the start, else with the date.
std::string EndClock(Instant start, Instant end, const ViewOptions& options) {
  const std::string text = ClockTime(end, options);
  const size_t blank = text.rfind(' ');
  return end - start < Span{86400} && blank != std::string::npos ? text.substr(blank + 1) : text;
}

// "woods/n4", "woods/n1-2".
std::string PlacesOf(const Json& job) {
  std::vector<std::string> places;
  for (const Json& part : At(job, "parts")) {
    const std::string site = TextAt(part, "site");
    const std::string nodes = NodesShown(TextsAt(part, "nodes"));
    if (!site.empty()) places.push_back(nodes.empty() ? site : site + "/" + nodes);
  }
  return Joined(places);
}

std::string ProvisionalText(const Json& job, const ViewOptions& options) {
  const Json& event = LastEvent(job, "provisional");
  const auto from = TimeAt(event, "at");
  const auto within = NumberAt(event, "elapsed_s");
  // A confirmation is recorded as an alteration with this text.
  for (const Json& later : At(job, "events")) {
    if (TextAt(later, "text").find("confirmed") != std::string::npos &&
        TextAt(later, "code") == "altered") {
      return "confirmed";
    }
  }
  if (!from || !within) return "confirmed";
  return "provisional until " + ClockTime(*from + Span{static_cast<int64_t>(*within)}, options);
}

}  // namespace

std::string AlteredView(const Json& document, const ViewOptions& options) {
  const Json& job = At(document, "job");
  const bool reserves = FlagAt(job, "reserves");
  const std::string what = WithClockTimes(TextAt(LastEvent(job, "altered"), "text"), options);
  std::string text = (reserves ? "reservation " : "job ") + IdOfJob(job) + "  " +
                     TextAt(job, "name") + "  " + (what.empty() ? "as it was" : what) + '\n';
  const Json& now = At(job, "figures");
  const Json& before = FiguresBefore(job);
  const auto starts = TimeAt(At(now, "starts_by"), "at");
  if (!starts) return Finished(text + FigureLines(job, false, options), options);
  const bool compared = before.is_object();
  if (StartedAt(job)) {
    text += "  " + Padded("started", 11) + ClockTime(*StartedAt(job), options) + '\n';
  } else {
    text += FigureLine("starts by", compared ? TimeAt(At(before, "starts_by"), "at") : std::nullopt,
                       starts, options);
  }
  text += FigureLine("ends by", compared ? TimeAt(before, "ends_by") : std::nullopt,
                     TimeAt(now, "ends_by"), options);
  return Finished(text, options);
}

std::string ReservedView(const Json& document, const ViewOptions& options) {
  const Json& job = At(document, "job");
  const std::string id = TextAt(job, "id");
  std::string text = "reservation " + id + "  " + TextAt(job, "name") + "  ";
  auto start = TimeAt(job, "at");
  if (!start) start = TimeAt(At(At(job, "figures"), "starts_by"), "at");
  const std::string places = PlacesOf(job);
  if (!start || places.empty()) {
    const std::string why = NoPromiseText(job, options);
    return Finished(text + (why.empty() ? "being verified; muster show " + id : why) + '\n',
                    options);
  }
  const Instant end = *start + Span{static_cast<int64_t>(NumberAt(job, "duration_s").value_or(0))};
  const std::string state = ProvisionalText(job, options);
  text += places + "  " + ClockTime(*start, options) + "–" + EndClock(*start, end, options) + "  " +
          state + '\n';
  if (state != "confirmed") text += "Confirm it: muster alter " + id + " --confirm\n";
  return Finished(text + "Use it: muster submit --in " + id + " …\n", options);
}

std::string LimitsView(const Json& document, const ViewOptions& options) {
  Table table({{.header = "SITE"},
               {.header = "WHO"},
               {.header = "WHAT"},
               {.header = "USED", .right = true},
               {.header = "LIMIT"},
               {.header = "WHEN", .shrinks_to = 10},
               {.header = "IF EXCEEDED"}});
  for (const Json& row : At(document, "limits")) {
    const std::string limit = TextAt(row, "limit");
    int64_t used = static_cast<int64_t>(NumberAt(row, "used").value_or(0));
    // An area is counted in item-seconds and shown in item-hours.
    if (limit.ends_with("-h")) used /= 3600;
    table.Add({TextAt(row, "site"), TextAt(row, "who"), TextAt(row, "what"), Grouped(used), limit,
               TextAt(row, "when"), TextAt(row, "if_exceeded")});
  }
  if (table.empty()) return Finished("no limits\n", options);
  return Finished(table.Text(options), options);
}

std::string MovesView(const Json& document, const ViewOptions& options) {
  Table table({{.header = "JOB"}, {.header = "STARTS BY"}, {.header = "BECAUSE"}});
  size_t later = 0;
  for (const Json& move : At(document, "moves")) {
    const auto before = TimeAt(move, "before");
    const auto after = TimeAt(move, "after");
    const std::string because = TextAt(move, "because");
    std::string how = "would lose its place there: ";
    if (before && after) {
      how = *after < *before ? About(*before - *after) + " earlier: "
                             : About(*after - *before) + " later: ";
    }
    if (!after || (before && *after > *before)) ++later;
    table.Add({TextAt(move, "job"),
               (before ? ClockTime(*before, options) : kNone) + std::string(" → ") +
                   (after ? ClockTime(*after, options) : kNone),
               how + because});
  }
  const auto promises =
      std::max(static_cast<size_t>(NumberAt(document, "promises").value_or(0)), later);
  std::string text = table.empty() ? "" : table.Text(options);
  for (const Json& node : At(document, "stays")) {
    text += TextAt(node, "name") + "  " + WithClockTimes(TextAt(node, "text"), options) + '\n';
  }
  text += later == 0 ? "No promise would break."
                     : fmt::format("{} of {} would break.", later, Counted(promises, "promise"));
  return Finished(text + " Nothing was changed.\n", options);
}

}  // namespace muster::cli::views
