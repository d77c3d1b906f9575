// Start, end and forecast in the words of cli.md section 1.3.
#include "cli/views/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/phrases.h"
#include "base/units.h"

namespace muster::cli::views {
namespace {

constexpr size_t kLabel = 11;  // width of "starts by" with its gap
constexpr char kBetween[] = "      ";

std::string Line(const char* label, const std::string& text) {
  return "  " + Padded(label, kLabel) + text + '\n';
}

std::string EndedLine(const Json& job, const ViewOptions& options) {
  const std::string outcome = TextAt(job, "outcome");
  const auto started = StartedAt(job);
  const auto ended = EndedAt(job);
  const char* label = outcome.empty() ? "ended" : outcome.c_str();
  if (const Json& array = At(job, "array"); array.is_object()) {
    return Line(label, ElementStates(array));
  }
  if (!started) {
    const std::string why = NoPromiseText(job, options);
    return Line(label, why.empty() ? "before its start" : why);
  }
  if (!ended) return Line(label, "started " + ClockTime(*started, options));
  return Line(label, ClockTime(*started, options) + "–" + ClockTime(*ended, options) + "  " +
                         DurationText(Span{std::max<int64_t>(0, (*ended - *started).seconds)}));
}

}  // namespace

std::string ElementShape(const Json& job) {
  const uint64_t elements = ElementCount(job);
  if (elements == 0) return "";
  std::string shape = Counted(elements, "element");
  const auto at_once = static_cast<uint64_t>(NumberAt(At(job, "array"), "at_once").value_or(0));
  if (at_once > 0) shape += fmt::format(", {} at once", at_once);
  return shape;
}

std::string ShapeOf(const Json& job) {
  const size_t parts = At(job, "parts").size();
  std::vector<std::string> shape;
  if (ElementCount(job) > 0) shape.push_back(ElementShape(job));
  if (parts > 1) shape.push_back(fmt::format("{} parts, all or none", parts));
  if (const auto seconds = NumberAt(job, "duration_s"); seconds && *seconds > 0) {
    shape.push_back(DurationText(Span{static_cast<int64_t>(*seconds)}));
  }
  return Joined(shape);
}

uint64_t ElementCount(const Json& job) {
  const Json& array = At(job, "array");
  if (!array.is_object()) return 0;
  const auto number = [&](const char* name, double otherwise) {
    return static_cast<uint64_t>(NumberAt(array, name).value_or(otherwise));
  };
  const uint64_t first = number("first", 0);
  const uint64_t last = std::max(first, number("last", 0));
  return (last - first) / std::max<uint64_t>(number("step", 1), 1) + 1;
}

std::string ElementStates(const Json& array) {
  std::vector<std::string> words;
  for (const char* state :
       {"waiting", "promised", "running", "unknown", "done", "failed", "cancelled"}) {
    const auto count = static_cast<uint64_t>(NumberAt(array, state).value_or(0));
    if (count > 0) words.push_back(fmt::format("{} {}", count, state));
  }
  return Joined(words);
}

std::string FailuresText(const Json& array) {
  constexpr size_t kShown = 3;
  const Json& failures = At(array, "failures");
  std::vector<std::string> texts;
  if (failures.is_array()) {
    for (const Json& failure : failures) {
      if (texts.size() == kShown) break;
      std::string end = EndOfPart(failure);
      if (end.empty()) end = TextAt(failure, "outcome");
      texts.push_back(TextAt(failure, "id") + " " + end);
    }
  }
  const auto failed = static_cast<uint64_t>(NumberAt(array, "failed").value_or(0));
  if (!texts.empty() && failed > texts.size()) {
    texts.push_back(fmt::format("{} more", failed - texts.size()));
  }
  return Joined(texts, "; ");
}

std::optional<Instant> StartedAt(const Json& job) {
  std::optional<Instant> first;
  for (const Json& part : At(job, "parts")) {
    const auto at = TimeAt(part, "started_at");
    if (at && (!first || *at < *first)) first = at;
  }
  return first;
}

std::optional<Instant> EndedAt(const Json& job) {
  std::optional<Instant> last;
  for (const Json& part : At(job, "parts")) {
    const auto at = TimeAt(part, "ended_at");
    if (at && (!last || *at > *last)) last = at;
    // A part that never started has no end.
    if (!at && TimeAt(part, "started_at")) return std::nullopt;
  }
  return last;
}

std::string EndOfPart(const Json& part) {
  std::string more = TextAt(part, "ended_text");
  if (more.empty()) more = TextAt(part, "text");  // a failed element has `text` instead
  std::vector<std::string> texts;
  if (const auto signal = NumberAt(part, "signal")) {
    texts.push_back(fmt::format("signal {}", static_cast<int64_t>(*signal)));
  } else if (const auto code = NumberAt(part, "exit_code"); code && *code != 0) {
    texts.push_back(fmt::format("exit {}", static_cast<int64_t>(*code)));
  }
  if (!more.empty()) texts.push_back(std::move(more));
  return Joined(texts);
}

std::string StartsByText(const Json& figures, const ViewOptions& options) {
  const Json& starts_by = At(figures, "starts_by");
  const auto at = TimeAt(starts_by, "at");
  if (!at) return kNone;
  return ClockTime(*at, options) + (FlagAt(starts_by, "firm") ? "" : " bound");
}

std::string ExpectedText(const Json& figures, const ViewOptions& options) {
  const auto start = TimeAt(At(figures, "expected"), "start");
  return start ? ClockMinute(*start, options) : kNone;
}

std::string IntervalText(const Json& figures, const ViewOptions& options) {
  const auto low = TimeAt(At(figures, "expected"), "low");
  const auto high = TimeAt(At(figures, "expected"), "high");
  return low && high ? ClockRange(*low, *high, options) : kNone;
}

std::string NoPromiseText(const Json& job, const ViewOptions& options) {
  const Json& reason = At(At(job, "figures"), "no_promise_reason");
  if (!reason.is_object()) return "";
  if (std::string text = TextAt(reason, "text"); !text.empty()) return text;
  std::string text = TextAt(reason, "code");
  const Json& subject = At(reason, "subject");
  for (const char* what : {"site", "node", "job"}) {
    const std::string name = TextAt(subject, what);
    if (!name.empty()) text += std::string(" ") + what + " " + name;
  }
  if (const auto until = TimeAt(reason, "until")) text += " until " + ClockTime(*until, options);
  return text;
}

std::string FigureLines(const Json& job, bool ends, const ViewOptions& options) {
  if (TextAt(job, "state") == "ended") return EndedLine(job, options);
  const Json& figures = At(job, "figures");
  const auto ends_by = TimeAt(figures, "ends_by");
  const bool array = ElementCount(job) > 0;
  const char* const by = array ? "last ends by " : "ends by ";
  const std::string end =
      (ends || array) && ends_by ? kBetween + (by + ClockTime(*ends_by, options)) : "";
  if (const auto started = StartedAt(job)) {
    return Line("started", ClockTime(*started, options) + "  " +
                               InAbout(std::min(Span{-1}, *started - options.now)) + end);
  }
  const Json& starts_by = At(figures, "starts_by");
  const auto at = TimeAt(starts_by, "at");
  if (!at) {
    std::string why = NoPromiseText(job, options);
    if (why.empty() && TextAt(job, "state") == "parked") {
      why = "held; muster release " + TextAt(job, "id");
    }
    if (why.empty()) why = "being verified; muster show " + TextAt(job, "id");
    return Line("starts by", std::string(kNone) + "  " + why);
  }
  std::string text = Line(FlagAt(starts_by, "firm") ? "starts by" : "bound",
                          ClockTime(*at, options) + "  " + InAbout(*at - options.now) + end);
  const Json& expected = At(figures, "expected");
  std::string forecast = ExpectedText(figures, options);
  if (expected.is_object()) {
    // A forecast with a date is wider than its column.
    if (forecast.size() >= 10) forecast += "  ";
    forecast = Padded(forecast, 10) + IntervalText(figures, options) + " (" +
               WholePercent(NumberAt(expected, "confidence_ratio").value_or(0.9)) + ")";
  }
  return text + Line("expected", forecast);
}

}  // namespace muster::cli::views
