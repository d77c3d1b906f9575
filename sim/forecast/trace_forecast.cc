// One pass over the trace. The models learn only what is known at the time: a run time when a job
// ends, the score of a forecast when its job starts, a miss when the wait exceeds the upper end.
#include "sim/forecast/trace_forecast.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "meta/forecast/model/backfilling.h"
#include "meta/forecast/model/calibration.h"
#include "meta/forecast/model/futures.h"
#include "meta/forecast/model/run_times.h"

namespace muster::sim {
namespace {

using forecast::Backfilling;

constexpr int64_t kLongWait = 600;  // seconds; shorter waits do not test a forecast
constexpr size_t kTrim = 20;        // the first and last 1/20 of the forecasts are ignored

forecast::Shape ShapeOf(const SwfJob& job) {
  return {std::to_string(job.user), job.processors, Span{job.asked}};
}

struct Said {
  size_t job = 0;
  Span bound;
  Span clairvoyant;
  forecast::Forecast forecast;
  bool judged = false;
};

class Evaluation {
 public:
  Evaluation(const TraceForecastOptions& options, const std::vector<SwfJob>& jobs)
      : options_(options),
        jobs_(jobs),
        plan_(Begin(jobs), Terrain(options.processors)),
        calibration_(options.confidence) {}

  void Run() {
    size_t waiting = 0;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      const SwfJob& job = jobs_[i];
      const Instant now{job.submitted};
      plan_.RunTo(now);
      Happened(now);
      const std::vector<int64_t> amounts = {job.processors};
      plan_.Add(amounts, Span{job.asked}, Span{job.ran}, now);
      live_.push_back({i, said_.size()});
      const Span bound = plan_.StartOf(static_cast<Backfilling::Job>(i)) - now;
      if (bound <= Span{0} || waiting++ % options_.every != 0) continue;
      Say(i, bound);
    }
    plan_.RunTo(kFarFuture - Span{1});
  }

  Span WaitOf(size_t job) const {
    return plan_.StartOf(static_cast<Backfilling::Job>(job)) - Instant{jobs_[job].submitted};
  }
  const std::vector<Said>& said() const { return said_; }

 private:
  struct Live {
    size_t job;
    size_t said;  // index into said_ if it has a forecast
    bool started = false;
  };

  static Instant Begin(const std::vector<SwfJob>& jobs) {
    return Instant{jobs.empty() ? 0 : jobs.front().submitted};
  }
  static std::vector<Backfilling::Step> Terrain(int64_t processors) {
    return {{Instant{-kFarFuture.seconds}, {processors}}};
  }

  bool HasForecast(const Live& live) const {
    return live.said < said_.size() && said_[live.said].job == live.job;
  }

  void Judge(Said& said, bool held) {
    if (said.judged) return;
    said.judged = true;
    if (said.forecast.Counts()) calibration_.Judge(held);
  }

  // Learns from jobs that started, ended or became overdue by now.
  void Happened(Instant now) {
    std::erase_if(live_, [&](Live& live) {
      const auto job = static_cast<Backfilling::Job>(live.job);
      Said* said = HasForecast(live) ? &said_[live.said] : nullptr;
      const Instant submitted{jobs_[live.job].submitted};
      if (!live.started && !plan_.Started(job)) {
        if (said && now - submitted > said->forecast.high) Judge(*said, false);
        return false;
      }
      if (!live.started && said) {
        const Span waited = WaitOf(live.job);
        Judge(*said, said->forecast.Holds(waited));
        const uint64_t voice = forecast::VoiceOf(std::to_string(jobs_[live.job].user), submitted);
        calibration_.Learn(said->forecast, voice, waited);
      }
      live.started = true;
      if (!plan_.Ended(job)) return false;
      run_times_.Learn(ShapeOf(jobs_[live.job]), Span{jobs_[live.job].ran});
      return true;
    });
  }

  void Say(size_t job, Span bound) {
    const Instant now = plan_.now();
    const Backfilling rest = plan_.Rest();
    forecast::RunTimes::Running running;
    for (const Backfilling::Job other : plan_.running_jobs()) {
      running.Add(ShapeOf(jobs_[other]), now - plan_.StartOf(other));
    }
    std::map<forecast::Shape, forecast::RunTime> of_shape;
    std::vector<forecast::Runner> runners;
    for (const auto* list : {&plan_.running_jobs(), &plan_.waiting_jobs()}) {
      for (const Backfilling::Job other : *list) {
        const forecast::Shape shape = ShapeOf(jobs_[other]);
        const bool runs = plan_.Started(other);
        auto known = of_shape.find(shape);
        if (known == of_shape.end()) {
          known = of_shape.emplace(shape, run_times_.Of(shape, running)).first;
        }
        runners.push_back({other, forecast::KinOf(shape), known->second,
                           runs ? now - plan_.StartOf(other) : Span{0}});
      }
    }
    // The new job came last, so it is the last of the waiting jobs.
    const auto target = static_cast<Backfilling::Job>(runners.size() - 1);
    std::vector<Span> samples;
    for (size_t s = 0; s < options_.samples; ++s) {
      Backfilling future =
          forecast::FutureOf(rest, runners, options_.seed, static_cast<uint32_t>(s));
      samples.push_back(future.RunUntilStarted(target) - now);
    }
    std::sort(samples.begin(), samples.end());
    Backfilling known = rest;
    const Span clairvoyant = known.RunUntilStarted(target) - now;
    said_.push_back({job, bound, clairvoyant, calibration_.Of(samples, bound)});
  }

  const TraceForecastOptions& options_;
  const std::vector<SwfJob>& jobs_;
  Backfilling plan_;
  forecast::RunTimes run_times_;
  forecast::Calibration calibration_;
  std::vector<Live> live_;
  std::vector<Said> said_;
};

double MedianOf(std::vector<double>& values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

PredictorErrors ErrorsOf(const Evaluation& evaluation,
                         const std::function<Span(const Said&)>& predicted) {
  PredictorErrors out;
  std::vector<double> errors;
  for (const Said& said : evaluation.said()) {
    const Span waited = evaluation.WaitOf(said.job);
    if (waited <= Span{kLongWait}) continue;
    const int64_t error = std::abs((predicted(said) - waited).seconds);
    errors.push_back(static_cast<double>(error) / 60);
    out.mean_minutes += static_cast<double>(error) / 60;
    if (error <= 60) ++out.within_1_ratio;
    if (error <= 600) ++out.within_10_ratio;
    if (4 * error <= waited.seconds) ++out.within_quarter_ratio;
  }
  if (errors.empty()) return out;
  const auto count = static_cast<double>(errors.size());
  for (double* sum :
       {&out.mean_minutes, &out.within_1_ratio, &out.within_10_ratio, &out.within_quarter_ratio}) {
    *sum /= count;
  }
  out.median_minutes = MedianOf(errors);
  return out;
}

void JudgeIntervals(const Evaluation& evaluation, TraceForecastReport& report) {
  const std::vector<Said>& all = evaluation.said();
  std::vector<double> widths;
  for (size_t i = all.size() / kTrim; i < all.size() - all.size() / kTrim; ++i) {
    const forecast::Forecast& forecast = all[i].forecast;
    if (!forecast.Counts()) continue;
    const Span waited = evaluation.WaitOf(all[i].job);
    ++report.intervals;
    if (forecast.Holds(waited)) ++report.covered;
    if (waited < forecast.low) ++report.early;
    widths.push_back(static_cast<double>((forecast.high - forecast.low).seconds) /
                     static_cast<double>(std::max<int64_t>(60, waited.seconds)));
  }
  report.width_over_wait = MedianOf(widths);
}

void MeasureWaits(const Evaluation& evaluation, TraceForecastReport& report) {
  std::vector<double> waits;
  for (size_t i = 0; i < report.jobs; ++i) {
    waits.push_back(static_cast<double>(evaluation.WaitOf(i).seconds) / 60);
    report.mean_wait_minutes += waits.back() / static_cast<double>(report.jobs);
  }
  std::sort(waits.begin(), waits.end());
  if (!waits.empty()) report.p95_wait_minutes = waits[waits.size() * 95 / 100];
}

}  // namespace

absl::StatusOr<TraceForecastReport> ForecastTrace(const TraceForecastOptions& options) {
  if (options.processors <= 0) {
    return InvalidArgument("--procs " + std::to_string(options.processors) +
                           ": how many processors has the machine? as in --procs 128");
  }
  absl::StatusOr<std::string> text = ReadPacked(options.trace);
  if (!text.ok()) return text.status();
  absl::StatusOr<SwfTrace> trace = ParseSwf(options.trace, *text, {.strict = options.strict});
  if (!trace.ok()) return trace.status();
  TraceForecastReport report;
  report.skipped = trace->counts;
  report.too_large = std::erase_if(
      trace->jobs, [&](const SwfJob& job) { return job.processors > options.processors; });
  report.jobs = trace->jobs.size();

  Evaluation evaluation(options, trace->jobs);
  evaluation.Run();
  MeasureWaits(evaluation, report);
  report.forecasts = evaluation.said().size();
  for (const Said& said : evaluation.said()) {
    const Span waited = evaluation.WaitOf(said.job);
    if (waited > Span{kLongWait}) ++report.judged;
    if (waited > said.bound) ++report.broken;
  }
  report.requested = ErrorsOf(evaluation, [](const Said& said) { return said.bound; });
  report.expected = ErrorsOf(evaluation, [](const Said& said) { return said.forecast.median; });
  report.clairvoyant = ErrorsOf(evaluation, [](const Said& said) { return said.clairvoyant; });
  JudgeIntervals(evaluation, report);
  return report;
}

std::vector<std::pair<int64_t, int64_t>> ConservativeStarts(const std::vector<SwfJob>& jobs,
                                                            int64_t processors, bool exact) {
  const std::vector<Backfilling::Step> terrain = {{Instant{-kFarFuture.seconds}, {processors}}};
  Backfilling plan(Instant{jobs.empty() ? 0 : jobs.front().submitted}, terrain);
  for (const SwfJob& job : jobs) {
    plan.RunTo(Instant{job.submitted});
    const std::vector<int64_t> amounts = {job.processors};
    plan.Add(amounts, Span{exact ? job.ran : job.asked}, Span{job.ran}, plan.now());
  }
  plan.RunTo(kFarFuture - Span{1});
  std::vector<std::pair<int64_t, int64_t>> out;
  for (size_t i = 0; i < jobs.size(); ++i) {
    out.emplace_back(jobs[i].number, plan.StartOf(static_cast<Backfilling::Job>(i)).seconds);
  }
  return out;
}

}  // namespace muster::sim
