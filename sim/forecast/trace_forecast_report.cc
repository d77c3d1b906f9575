// The figures of one trace, as a table and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/forecast/trace_forecast.h"

namespace muster::sim {
namespace {

std::string PredictorRow(const char* name, const PredictorErrors& errors) {
  return fmt::format("{:<22} {:>7.1f} {:>7.1f} {:>8.1f} % {:>8.1f} % {:>10.1f} %\n", name,
                     errors.median_minutes, errors.mean_minutes, 100 * errors.within_1_ratio,
                     100 * errors.within_10_ratio, 100 * errors.within_quarter_ratio);
}

std::string SaidRow(const SaidErrors& said) {
  return fmt::format("said {:>2} to {:>2} {:<11}{:>7.1f} {:>7.1f}   {} forecasts\n",
                     said.from.seconds / (said.from.seconds < 3600 ? 60 : 3600),
                     said.to.seconds / (said.from.seconds < 3600 ? 60 : 3600),
                     said.from.seconds < 3600 ? "minutes" : "hours", said.median_minutes,
                     said.mean_minutes, said.forecasts);
}

double RatioOf(size_t part, size_t of) {
  return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
}

nlohmann::json JsonOf(const PredictorErrors& errors) {
  return {{"median_error_min", errors.median_minutes},
          {"mean_error_min", errors.mean_minutes},
          {"within_60_s_ratio", errors.within_1_ratio},
          {"within_600_s_ratio", errors.within_10_ratio},
          {"within_quarter_of_wait_ratio", errors.within_quarter_ratio}};
}

}  // namespace

std::string ToText(const TraceForecastOptions& options, const TraceForecastReport& report) {
  std::string out = fmt::format(
      "{}: {} jobs on {} processors, {} cancelled and {} too large left out\n"
      "wait mean {:.1f} min, p95 {:.1f} min; {} forecasts, {} of jobs that waited over 10 min\n",
      options.trace, report.jobs, options.processors, report.skipped.cancelled, report.too_large,
      report.mean_wait_minutes, report.p95_wait_minutes, report.forecasts, report.judged);
  out += "error, minutes          median    mean   in 1 min  in 10 min  in 1/4 wait\n";
  out += PredictorRow("requested times (P2)", report.requested);
  if (report.last_two) out += PredictorRow("last two runs (P3)", *report.last_two);
  if (report.recent) out += PredictorRow("recent runs (P7)", *report.recent);
  out += PredictorRow("expected", report.expected);
  out += PredictorRow("true run times (PX)", report.clairvoyant);
  for (const SaidErrors& said : report.said) out += SaidRow(said);
  out += fmt::format(
      "{:.0f} % intervals: {} wider than 60 s, {:.1f} % hold ({:.1f} % started before), "
      "median width / wait {:.2f}\n",
      100 * options.confidence, report.intervals, 100 * report.coverage.ratio,
      100 * RatioOf(report.early, report.intervals), report.width_over_wait);
  out += fmt::format("by user and day: {} of these, 90 % of redraws hold {:.1f} to {:.1f} %\n",
                     report.coverage.voices, 100 * report.coverage.low, 100 * report.coverage.high);
  out += fmt::format(
      "run times: {:.2f} bits an outcome at submission, {:.2f} before its end; expected / real "
      "work "
      "{:.3f}\n",
      report.bits_at_submission, report.bits_at_end, report.work_ratio);
  out += fmt::format("{} starts later than their bound\n", report.broken);
  return out;
}

std::string ToJson(const TraceForecastOptions& options, const TraceForecastReport& report) {
  nlohmann::json json = {
      {"schema", "muster.sim-forecast/1"},
      {"trace", options.trace},
      {"processors", options.processors},
      {"every", options.every},
      {"samples", options.samples},
      {"seed", options.seed},
      {"jobs", report.jobs},
      {"skipped", {{"cancelled", report.skipped.cancelled}, {"too_large", report.too_large}}},
      {"mean_wait_min", report.mean_wait_minutes},
      {"p95_wait_min", report.p95_wait_minutes},
      {"forecasts", report.forecasts},
      {"judged", report.judged},
      {"requested", JsonOf(report.requested)},
      {"expected", JsonOf(report.expected)},
      {"clairvoyant", JsonOf(report.clairvoyant)},
      {"later_than_bound", report.broken},
      {"interval",
       {{"confidence_ratio", options.confidence},
        {"count", report.intervals},
        {"coverage_ratio", report.coverage.ratio},
        {"user_days", report.coverage.voices},
        {"coverage_low_ratio", report.coverage.low},
        {"coverage_high_ratio", report.coverage.high},
        {"early_ratio", RatioOf(report.early, report.intervals)},
        {"width_over_wait_ratio", report.width_over_wait}}},
      {"run_times",
       {{"bits_at_submission", report.bits_at_submission},
        {"bits_at_end", report.bits_at_end},
        {"work_ratio", report.work_ratio}}}};
  for (const SaidErrors& said : report.said) {
    json["said"].push_back({{"from_s", said.from.seconds},
                            {"to_s", said.to.seconds},
                            {"count", said.forecasts},
                            {"median_error_min", said.median_minutes},
                            {"mean_error_min", said.mean_minutes}});
  }
  if (report.last_two) json["last_two"] = JsonOf(*report.last_two);
  if (report.recent) json["recent"] = JsonOf(*report.recent);
  return json.dump(1) + "\n";
}

}  // namespace muster::sim
