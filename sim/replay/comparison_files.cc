// Formats existing figures only; nothing is measured here.
#include "sim/replay/comparison_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/calendar.h"
#include "sim/replay/replay_files.h"

namespace muster::sim {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

constexpr size_t kTold = 5;  // classes in the table; each joins several of ErrorClasses
constexpr double kTwentieth = 100.0 / kErrorClasses;

std::string Minutes(double seconds) { return fmt::format("{:.1f}", seconds / kMinuteSeconds); }
std::string Both(double autonomous, double verified) {
  return Minutes(autonomous) + " → " + Minutes(verified);
}
std::string Ev(const std::optional<double>& ev) { return ev ? fmt::format("{:.1f}", *ev) : "–"; }
// A share below 1 is never rounded up to 100 %.
std::string Percent(const std::optional<double>& share) {
  if (!share) return "–";
  if (*share < 1 && *share > 0.999) return "99.9 %";
  return fmt::format("{:.1f} %", 100 * *share);
}

std::optional<double> ReductionOf(const ErrorComparison& one) {
  return Reduction(one.autonomous.at_submission, one.verified.at_submission);
}

Row RowOf(const ErrorComparison& one) {
  const ErrorFigures& a = one.autonomous.at_submission;
  const ErrorFigures& v = one.verified.at_submission;
  return {one.name,
          one.machine,
          one.packing,
          Both(a.mean, v.mean),
          Percent(ReductionOf(one)),
          Both(a.late, v.late),
          Both(a.p95, v.p95),
          Ev(a.Ev()) + " → " + Ev(v.Ev()),
          Ev(EvOf(v.mean, a.most)),
          Both(one.autonomous.on_entering.mean, one.verified.on_entering.mean),
          Both(one.autonomous.wait_mean, one.verified.wait_mean)};
}

// Comparisons of one packing.
struct Summary {
  std::vector<double> reductions;
  std::vector<double> less_late;  // reductions of the part of the errors that late starts cause
  size_t untold = 0;              // without a reduction
  size_t exact_on_entering = 0;
  size_t count = 0;
  ErrorClasses autonomous;
  ErrorClasses verified;
};

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<std::pair<std::string, Summary>> Summaries(
    const std::vector<const ErrorComparison*>& comparisons) {
  std::vector<std::pair<std::string, Summary>> out;
  for (const ErrorComparison* one : comparisons) {
    auto at = std::find_if(out.begin(), out.end(),
                           [&](const auto& entry) { return entry.first == one->packing; });
    if (at == out.end()) at = out.insert(out.end(), {one->packing, {}});
    Summary& summary = at->second;
    ++summary.count;
    summary.autonomous += one->autonomous_classes;
    summary.verified += one->verified_classes;
    if (one->verified.on_entering.most == 0) ++summary.exact_on_entering;
    if (const std::optional<double> reduction = ReductionOf(*one)) {
      summary.reductions.push_back(*reduction);
    } else {
      ++summary.untold;
    }
    const ErrorFigures& before = one->autonomous.at_submission;
    const ErrorFigures& after = one->verified.at_submission;
    const auto late = Reduction({.mean = before.late}, {.mean = after.late});
    if (late) summary.less_late.push_back(*late);
  }
  return out;
}

Row ClassRow(const std::string& packing, const std::string& side, const ErrorClasses& errors) {
  const auto all = static_cast<double>(std::max<size_t>(1, errors.Count()));
  const auto share = [all](size_t count) {
    return fmt::format("{:.1f}", 100 * static_cast<double>(count) / all);
  };
  Row row = {packing, side, share(errors.none)};
  for (size_t from = 0; from < kErrorClasses; from += kErrorClasses / kTold) {
    size_t sum = 0;
    for (size_t i = from; i < from + kErrorClasses / kTold; ++i) sum += errors.classes[i];
    row.push_back(share(sum));
  }
  row.push_back(share(errors.above));
  return row;
}

std::string SummaryText(const std::vector<const ErrorComparison*>& comparisons) {
  std::vector<Row> rows = {{"PACKING", "MEDIAN REDUCTION", "LEAST", "OF", "OF LATE STARTS", "OF",
                            "NO ERROR ON ENTERING"}};
  std::vector<Row> classes = {{"PACKING", "% OF ERRORS AT SUBMISSION", "none"}};
  for (size_t i = 0; i < kTold; ++i) {
    classes[0].push_back(fmt::format("to {} %", (i + 1) * 100 / kTold));
  }
  classes[0].push_back("more");
  for (const auto& [packing, summary] : Summaries(comparisons)) {
    const std::vector<double>& all = summary.reductions;
    const std::vector<double>& late = summary.less_late;
    const bool some = !all.empty();
    rows.push_back({packing, some ? Percent(MedianOf(all)) : "–",
                    some ? Percent(*std::min_element(all.begin(), all.end())) : "–",
                    fmt::format("{}", all.size()), late.empty() ? "–" : Percent(MedianOf(late)),
                    fmt::format("{}", late.size()),
                    fmt::format("{} of {}", summary.exact_on_entering, summary.count)});
    classes.push_back(ClassRow(packing, "autonomous", summary.autonomous));
    classes.push_back(ClassRow(packing, "verified", summary.verified));
  }
  return Aligned(rows) + "\nBy share of the autonomous maximum of each run:\n" + Aligned(classes);
}

Json ErrorsJson(const ErrorFigures& errors, const ErrorFigures& trimmed) {
  const auto ev = errors.Ev();
  return {{"count", errors.count},          {"mean_s", errors.mean},
          {"late_s", errors.late},          {"p95_s", errors.p95},
          {"most_s", errors.most},          {"ev_own", ev ? Json(*ev) : Json(nullptr)},
          {"mean_trimmed_s", trimmed.mean}, {"p95_trimmed_s", trimmed.p95}};
}

Json SideJson(const GroupFigures& group, const ErrorClasses& classes) {
  return {
      {"started", group.started},
      {"refused", group.refused},
      {"wait_mean_s", group.wait_mean},
      {"at_submission", ErrorsJson(group.at_submission, group.at_submission_trimmed)},
      {"on_entering", ErrorsJson(group.on_entering, group.on_entering_trimmed)},
      {"errors", {{"none", classes.none}, {"classes", classes.classes}, {"above", classes.above}}}};
}

Curve ShareCurve(const std::string& name, const ErrorClasses& errors) {
  const auto all = static_cast<double>(std::max<size_t>(1, errors.Count()));
  Curve curve{.name = name};
  for (size_t i = 0; i < kErrorClasses; ++i) {
    const size_t count = errors.classes[i] + (i == 0 ? errors.none : 0);
    curve.points.push_back(
        {kTwentieth * static_cast<double>(i), 100 * static_cast<double>(count) / all});
  }
  curve.points.push_back({100, 100 * static_cast<double>(errors.above) / all});
  curve.points.push_back({100 + kTwentieth, 0});
  return curve;
}

std::vector<std::vector<const ErrorComparison*>> ByTimes(
    const std::vector<ErrorComparison>& comparisons) {
  std::vector<std::vector<const ErrorComparison*>> out(2);
  for (const ErrorComparison& one : comparisons) out[one.exact ? 0 : 1].push_back(&one);
  return out;
}

}  // namespace

std::string ComparisonTable(const std::vector<ErrorComparison>& comparisons) {
  std::string out;
  for (const auto& some : ByTimes(comparisons)) {
    if (some.empty()) continue;
    out += some.front()->exact ? "Exact run times" : "Requested run times";
    out += ", " + some.front()->times + "; minutes, autonomous → verified\n";
    std::vector<Row> rows = {{"RUN", "MACHINE", "PACKING", "ERROR AT SUBMISSION", "LESS",
                              "OF IT LATE", "P95", "EV OWN", "EV AUTO", "ON ENTERING",
                              "MEAN WAIT"}};
    std::map<std::string, std::string> notes;
    for (const ErrorComparison* one : some) {
      rows.push_back(RowOf(*one));
      notes[one->name + ", " + one->machine] =
          fmt::format("{} jobs, interval scale {:.4f}", one->jobs, one->interval_scale);
    }
    out += Aligned(rows) + "\n" + SummaryText(some) + "\n";
    for (const auto& [name, note] : notes) out += name + ": " + note + "\n";
    for (const ErrorComparison* one : some) {
      for (const std::string& broken : one->violations) {
        out += one->name + ", " + one->machine + ", " + one->packing + ": broken: " + broken + "\n";
      }
    }
    out += "\n";
  }
  return out;
}

std::string ComparisonJson(const std::vector<ErrorComparison>& comparisons) {
  Json out = {{"schema", "muster.comparison/1"}, {"comparisons", Json::array()}};
  for (const ErrorComparison& one : comparisons) {
    const std::optional<double> reduction = ReductionOf(one);
    const std::optional<double> ev =
        EvOf(one.verified.at_submission.mean, one.autonomous.at_submission.most);
    out["comparisons"].push_back(
        {{"run", one.name},
         {"machine", one.machine},
         {"packing", one.packing},
         {"exact", one.exact},
         {"times", one.times},
         {"jobs", one.jobs},
         {"interval_scale", one.interval_scale},
         {"reduction_ratio", reduction ? Json(*reduction) : Json(nullptr)},
         {"ev_verified_by_autonomous_maximum", ev ? Json(*ev) : Json(nullptr)},
         {"autonomous", SideJson(one.autonomous, one.autonomous_classes)},
         {"verified", SideJson(one.verified, one.verified_classes)},
         {"violations", one.violations}});
  }
  return out.dump(1) + "\n";
}

PlotDocument ComparisonPlots(const std::string& title,
                             const std::vector<ErrorComparison>& comparisons) {
  PlotDocument out{.title = title, .text = ComparisonTable(comparisons)};
  for (const auto& some : ByTimes(comparisons)) {
    if (some.empty()) continue;
    PlotSection section{
        .title = some.front()->exact ? "Exact run times" : "Requested run times",
        .note =
            "Errors at submission, by share of the autonomous maximum; what is above it is "
            "drawn at 100 %."};
    for (const ErrorComparison* one : some) {
      section.plots.emplace_back(
          CurvePlot{.title = one->name + ", " + one->machine + ", " + one->packing,
                    .x = "% of the largest autonomous error",
                    .y = "% of requests",
                    .curves = {ShareCurve("autonomous", one->autonomous_classes),
                               ShareCurve("verified", one->verified_classes)}});
    }
    out.sections.push_back(std::move(section));
  }
  return out;
}

}  // namespace muster::sim
