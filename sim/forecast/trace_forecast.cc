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

#include "base/random.h"
#include "meta/forecast/model/arrivals.h"
#include "meta/forecast/model/backfilling.h"
#include "meta/forecast/model/calibration.h"
#include "meta/forecast/model/future_walk.h"
#include "meta/forecast/model/futures.h"
#include "meta/forecast/model/run_model.h"
#include "sim/forecast/simple_predictors.h"

namespace muster::sim {
namespace {

using forecast::Backfilling;

constexpr int64_t kLongWait = 600;       // seconds; shorter waits do not test a forecast
constexpr size_t kTrim = 20;             // the first and last 1/20 of the forecasts are ignored
constexpr uint32_t kRecentFutures = 20;  // futures of the predictor that draws recent runs
constexpr char kMachine[] = "machine";

forecast::Shape ShapeOf(const SwfJob& job) {
  return {std::to_string(job.user), job.processors, Span{job.asked}};
}

struct Said {
  size_t job = 0;
  Span bound;
  Span clairvoyant;
  forecast::Forecast forecast;
  Span last_two = {};
  Span recent = {};
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
      if (options_.restart_at == i) Restart(i);
      const std::vector<int64_t> amounts = {job.processors};
      plan_.Add(amounts, Span{job.asked}, Span{job.ran}, now);
      live_.push_back({i, said_.size()});
      Came(i, now);
      const Span bound = plan_.StartOf(static_cast<Backfilling::Job>(i)) - now;
      if (bound <= Span{0} || waiting++ % options_.every != 0) continue;
      Say(i, bound);
    }
    plan_.RunTo(kFarFuture - Span{1});
    Happened(plan_.now());
  }

  Span WaitOf(size_t job) const {
    return plan_.StartOf(static_cast<Backfilling::Job>(job)) - Instant{jobs_[job].submitted};
  }
  const std::vector<Said>& said() const { return said_; }
  const forecast::RunModel& run_model() const { return run_model_; }
  double bits_at_submission() const { return bits_at_submission_; }
  double bits_at_end() const { return bits_at_end_; }
  uint64_t VoiceOf(size_t job) const {
    return forecast::VoiceOf(std::to_string(jobs_[job].user), Instant{jobs_[job].submitted});
  }

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

  // The job is submitted: what is known of its run time is noted.
  void Came(size_t job, Instant now) {
    run_model_.Submit(job, ShapeOf(jobs_[job]), now);
    bits_at_submission_ += run_model_.AsSubmitted(job)->BitsOf(Span{jobs_[job].ran});
    forecast::Newcomer who{.queue = {}, .pieces = {}};
    who.pieces.push_back({kMachine, {}, Span{0}, Span{jobs_[job].asked}});
    who.pieces[0].amounts.Set("ncpus", jobs_[job].processors);
    arrivals_.Learn(job, now, std::move(who));
  }

  // Rebuilds the model from what is on record of the first `jobs` jobs.
  void Restart(size_t jobs) {
    std::vector<forecast::PastRun> past;
    for (size_t i = 0; i < jobs; ++i) {
      const auto job = static_cast<Backfilling::Job>(i);
      forecast::PastRun& one = past.emplace_back();
      one.job = i;
      one.shape = ShapeOf(jobs_[i]);
      one.submitted = ToMoment(Instant{jobs_[i].submitted});
      if (plan_.Started(job)) one.started = ToMoment(plan_.StartOf(job));
      if (!plan_.Ended(job)) continue;
      one.ran = Span{jobs_[i].ran};
      one.ended = ToMoment(plan_.StartOf(job) + *one.ran);
    }
    run_model_ = forecast::RunModel::Recalled(std::move(past));
  }

  // The job ended by `now`: its outcome is learned.
  void Went(size_t job) {
    const Span ran{jobs_[job].ran};
    run_model_.Stop(job);
    const Instant end = plan_.StartOf(static_cast<Backfilling::Job>(job)) + ran;
    bits_at_end_ += run_model_.Of(ShapeOf(jobs_[job]), end).BitsOf(ran);
    run_model_.End(job, ran);
    arrivals_.Ended(job, ran);
    recent_.Learn(ShapeOf(jobs_[job]), ran);
  }

  void Judge(Said& said, bool held) {
    if (said.judged) return;
    said.judged = true;
    if (said.forecast.Counts()) calibration_.Judge(held);
  }

  // Learns from jobs that started, ended or became overdue by now.
  void Happened(Instant now) {
    std::vector<std::pair<Instant, size_t>> ended;
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
        calibration_.Learn(said->forecast, VoiceOf(live.job), waited);
      }
      if (!live.started) run_model_.Start(live.job, plan_.StartOf(job));
      live.started = true;
      if (!plan_.Ended(job)) return false;
      ended.emplace_back(plan_.StartOf(job) + Span{jobs_[live.job].ran}, live.job);
      return true;
    });
    std::sort(ended.begin(), ended.end());
    for (const auto& [at, job] : ended) Went(job);
  }

  void Say(size_t job, Span bound) {
    const Instant now = plan_.now();
    const Backfilling rest = plan_.Rest();
    std::map<forecast::Shape, forecast::RunTime> of_shape;
    std::vector<forecast::Runner> runners;
    std::vector<size_t> numbers;  // of the jobs in `rest`
    for (const auto* list : {&plan_.running_jobs(), &plan_.waiting_jobs()}) {
      for (const Backfilling::Job other : *list) {
        const forecast::Shape shape = ShapeOf(jobs_[other]);
        const bool runs = plan_.Started(other);
        auto known = of_shape.find(shape);
        if (known == of_shape.end()) {
          known = of_shape.emplace(shape, run_model_.Of(shape, now)).first;
        }
        runners.push_back({other, forecast::KinOf(shape), known->second,
                           runs ? now - plan_.StartOf(other) : Span{0}});
        numbers.push_back(other);
      }
    }
    // The new job came last, so it is the last of the waiting jobs.
    const auto target = static_cast<Backfilling::Job>(runners.size() - 1);
    std::vector<Span> samples;
    for (size_t s = 0; s < options_.samples; ++s) {
      const auto sample = static_cast<uint32_t>(s);
      forecast::FutureWalk walk(forecast::FutureOf(rest, runners, options_.seed, sample), arrivals_,
                                options_.seed, sample);
      samples.push_back(walk.Until(target, arrivals_, Book) - now);
    }
    std::sort(samples.begin(), samples.end());
    Backfilling known = rest;
    const Span clairvoyant = known.RunUntilStarted(target) - now;
    said_.push_back({job, bound, clairvoyant, calibration_.Of(samples, bound)});
    if (options_.simple) SaySimply(rest, numbers, target, said_.back());
  }

  // Books an arrival of the past again.
  static void Book(const forecast::Arrivals::Past& past, Backfilling& future) {
    const forecast::Newcomer::Piece& piece = past.who.pieces[0];
    const std::vector<int64_t> amounts = {piece.amounts.Get("ncpus")};
    future.Arrive(amounts, piece.length, *past.ran, 0);
  }

  // What the simple predictors expect.
  void SaySimply(const Backfilling& rest, const std::vector<size_t>& numbers,
                 Backfilling::Job target, Said& said) const {
    const auto start = [&](const std::function<Span(const forecast::Shape&, Span, size_t)>& runs) {
      Backfilling future = rest;
      for (size_t i = 0; i < numbers.size(); ++i) {
        const auto other = static_cast<Backfilling::Job>(numbers[i]);
        const Span elapsed = plan_.Started(other) ? plan_.now() - plan_.StartOf(other) : Span{0};
        future.SetRuns(static_cast<Backfilling::Job>(i),
                       runs(ShapeOf(jobs_[other]), elapsed, numbers[i]));
      }
      return future.RunUntilStarted(target) - plan_.now();
    };
    said.last_two = start([&](const forecast::Shape& shape, Span elapsed, size_t) {
      return recent_.LastTwo(shape, elapsed);
    });
    std::vector<Span> samples;
    for (uint32_t s = 0; s < kRecentFutures; ++s) {
      samples.push_back(start([&](const forecast::Shape& shape, Span elapsed, size_t number) {
        Random random(Mixed(Mixed(options_.seed, s + 1), number));
        return recent_.Drawn(shape, elapsed, static_cast<double>(random.Next() >> 11) * 0x1p-53);
      }));
    }
    std::sort(samples.begin(), samples.end());
    said.recent = samples[samples.size() / 2];
  }

  const TraceForecastOptions& options_;
  const std::vector<SwfJob>& jobs_;
  Backfilling plan_;
  forecast::RunModel run_model_;
  forecast::Arrivals arrivals_;
  RecentRuns recent_;
  double bits_at_submission_ = 0;  // sums over jobs
  double bits_at_end_ = 0;
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
  std::map<uint64_t, forecast::Covered> by_voice;
  for (size_t i = all.size() / kTrim; i < all.size() - all.size() / kTrim; ++i) {
    const forecast::Forecast& forecast = all[i].forecast;
    if (!forecast.Counts()) continue;
    const Span waited = evaluation.WaitOf(all[i].job);
    forecast::Covered& covered = by_voice[evaluation.VoiceOf(all[i].job)];
    ++covered.intervals;
    if (forecast.Holds(waited)) ++covered.held;
    ++report.intervals;
    if (waited < forecast.low) ++report.early;
    widths.push_back(static_cast<double>((forecast.high - forecast.low).seconds) /
                     static_cast<double>(std::max<int64_t>(60, waited.seconds)));
  }
  std::vector<forecast::Covered> voices;
  for (const auto& [voice, covered] : by_voice) voices.push_back(covered);
  report.coverage = forecast::CoverageOf(voices);
  report.width_over_wait = MedianOf(widths);
}

void JudgeBySaid(const Evaluation& evaluation, TraceForecastReport& report) {
  constexpr int64_t kHour = 3600;
  constexpr std::array<int64_t, 4> kEdges = {600, kHour, 6 * kHour, 24 * kHour};
  for (size_t i = 0; i < report.said.size(); ++i) {
    SaidErrors& of = report.said[i];
    of.from = Span{kEdges[i]};
    of.to = Span{kEdges[i + 1]};
    std::vector<double> errors;
    for (const Said& said : evaluation.said()) {
      const Span expected = said.forecast.median;
      if (expected < of.from || expected >= of.to) continue;
      errors.push_back(
          std::abs(static_cast<double>((expected - evaluation.WaitOf(said.job)).seconds)) / 60);
      of.mean_minutes += errors.back();
    }
    of.forecasts = errors.size();
    if (!errors.empty()) of.mean_minutes /= static_cast<double>(errors.size());
    of.median_minutes = MedianOf(errors);
  }
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
  if (options.simple) {
    report.last_two = ErrorsOf(evaluation, [](const Said& said) { return said.last_two; });
    report.recent = ErrorsOf(evaluation, [](const Said& said) { return said.recent; });
  }
  JudgeIntervals(evaluation, report);
  JudgeBySaid(evaluation, report);
  const double jobs = std::max<double>(1, static_cast<double>(report.jobs));
  report.bits_at_submission = evaluation.bits_at_submission() / jobs;
  report.bits_at_end = evaluation.bits_at_end() / jobs;
  report.work_ratio = evaluation.run_model().WorkRatio();
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
