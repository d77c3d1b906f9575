// Line-by-line views: `wait` and `logs`.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/phrases.h"
#include "cli/views/figures.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

constexpr size_t kOutcomeWidth = 9;  // width of the outcome with its gap; fits "timeout"

// The parts that failed: "42.2 exit 3; 42.3 signal 9".
std::string FailedParts(const Json& job) {
  std::vector<std::string> texts;
  const Json& parts = At(job, "parts");
  for (const Json& part : parts) {
    const std::string end = EndOfPart(part);
    if (end.empty()) continue;
    texts.push_back(parts.size() == 1 ? end : TextAt(part, "id") + " " + end);
  }
  return Joined(texts, "; ");
}

}  // namespace

std::string WaitLine(const Json& document, size_t id_width, const ViewOptions& options) {
  const Json& job = At(document, "job");
  const std::string outcome = TextAt(job, "outcome");
  std::string text = Padded(IdOfJob(job), id_width + 2);
  const bool cut = options.width > 0 && !options.color;
  if (const Json& array = At(job, "array"); array.is_object()) {
    text += Painted(ElementStates(array), PaintOfState(outcome), options);
    if (const std::string failures = FailuresText(array); !failures.empty()) {
      text += ": " + failures;
    }
    return Finished((cut ? Cut(text, options.width) : text) + '\n', options);
  }
  const size_t width = std::max(kOutcomeWidth, Columns(outcome) + 2);
  text +=
      Painted(outcome, PaintOfState(outcome), options) + std::string(width - Columns(outcome), ' ');
  const auto started = StartedAt(job);
  const auto ended = EndedAt(job);
  std::vector<std::string> rest;
  if (started && ended)
    rest.push_back(ClockTime(*started, options) + "–" + ClockTime(*ended, options));
  if (!started) {
    const std::string why = NoPromiseText(job, options);
    rest.push_back(why.empty() ? "before its start" : why);
  }
  const size_t parts = At(job, "parts").size();
  if (parts > 1) rest.push_back(fmt::format("{} parts", parts));
  if (outcome != "done") {
    if (std::string failed = FailedParts(job); !failed.empty()) rest.push_back(std::move(failed));
  }
  text += Joined(rest, "  ");
  // Colour codes have no width, so only a line without colour can be cut.
  return Finished((cut ? Cut(text, options.width) : text) + '\n', options);
}

std::string WaitProgress(const Json& jobs, size_t turn, const ViewOptions& options) {
  static constexpr const char* kTurns[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  static constexpr const char* kPlainTurns[] = {"-", "\\", "|", "/"};
  size_t total = 0;
  size_t ended = 0;
  size_t unsuccessful = 0;
  std::map<std::string, size_t> states;
  std::optional<Instant> last_by;
  std::optional<Instant> last_expected;
  bool all_known = true;
  bool all_expected = true;
  for (const Json& job : jobs) {
    const std::string state = TextAt(job, "state");
    if (const Json& array = At(job, "array"); array.is_object()) {
      const auto count = [&](const char* name) {
        return static_cast<size_t>(NumberAt(array, name).value_or(0));
      };
      total += ElementCount(job);
      ended += count("done") + count("failed") + count("cancelled");
      unsuccessful += count("failed") + count("cancelled");
      for (const char* one : {"running", "promised", "waiting", "unknown"})
        states[one] += count(one);
    } else {
      ++total;
      if (state == "ended") {
        ++ended;
        if (TextAt(job, "outcome") != "done") ++unsuccessful;
      } else {
        ++states[state];
      }
    }
    if (state == "ended") continue;
    const Json& figures = At(job, "figures");
    const auto by = TimeAt(figures, "ends_by");
    if (by && (!last_by || *by > *last_by)) last_by = by;
    all_known = all_known && by.has_value();
    const auto start = TimeAt(At(figures, "expected"), "start");
    const Span duration{static_cast<int64_t>(NumberAt(job, "duration_s").value_or(0))};
    if (start && (!last_expected || *start + duration > *last_expected)) {
      last_expected = *start + duration;
    }
    all_expected = all_expected && start.has_value();
  }
  std::string text = options.unicode ? kTurns[turn % std::size(kTurns)]
                                     : kPlainTurns[turn % std::size(kPlainTurns)];
  std::string line = fmt::format(" {}/{} ended", ended, total);
  if (unsuccessful > 0) line += fmt::format(" ({} failed)", unsuccessful);
  // Shows the count of the most advanced state among the unfinished jobs.
  for (const char* state : {"running", "starting", "promised", "waiting", "parked", "unknown"}) {
    if (states[state] == 0) continue;
    line += fmt::format(" · {} {}", states[state], state);
    break;
  }
  if (last_by && all_known) {
    line += " · last by " + ClockMinute(*last_by, options);
    if (last_expected && all_expected) {
      line += " (expected " + ClockMinute(*last_expected, options) + ")";
    }
  }
  text += Finished(line, options);
  return options.width == 0 ? text : Cut(text, options.width);
}

std::string PrefixedLines(const std::string& part, std::string_view data, bool last,
                          std::string& rest) {
  std::string out;
  rest += data;
  size_t begin = 0;
  const std::string prefix = part.empty() ? "" : part + " | ";
  for (size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', begin)) {
    out += prefix;
    out.append(rest, begin, end + 1 - begin);
    begin = end + 1;
  }
  rest.erase(0, begin);
  if (last && !rest.empty()) {
    out += prefix + rest + '\n';
    rest.clear();
  }
  return out;
}

}  // namespace muster::cli::views
