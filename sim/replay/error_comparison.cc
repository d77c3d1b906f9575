// Keeps figures only, not jobs, since a table may have hundreds of runs.
#include "sim/replay/error_comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/units.h"
#include "sim/replay/replay_files.h"

namespace muster::sim {
namespace {

constexpr double kSomeError = 60;  // seconds; no reduction is computed for a smaller mean

// Absolute errors, in seconds, of the starts announced at submission, over the jobs that started.
std::vector<double> SubmissionErrors(const FederationResult& result) {
  std::vector<double> out;
  for (const JobOutcome& outcome : result.jobs) {
    if (!outcome.start || !outcome.first || !outcome.first->starts_by) continue;
    const Span error = *outcome.start - *outcome.first->starts_by;
    out.push_back(std::abs(static_cast<double>(error.seconds)));
  }
  return out;
}

std::string PackingText(const RunSettings& settings) {
  const std::string packing = settings.packing == "auto" ? "vote" : settings.packing;
  return packing + ", " + (settings.threshold ? DurationText(*settings.threshold) : "inf");
}

}  // namespace

size_t ErrorClasses::Count() const {
  return std::accumulate(classes.begin(), classes.end(), none + above);
}

ErrorClasses& ErrorClasses::operator+=(const ErrorClasses& other) {
  none += other.none;
  above += other.above;
  for (size_t i = 0; i < kErrorClasses; ++i) classes[i] += other.classes[i];
  return *this;
}

ErrorClasses Classify(const std::vector<double>& errors, double most) {
  ErrorClasses out;
  for (const double error : errors) {
    if (error <= 0) {
      ++out.none;
    } else if (error > most) {
      ++out.above;
    } else {
      const double place = std::ceil(error / most * static_cast<double>(kErrorClasses)) - 1;
      ++out.classes[std::min(static_cast<size_t>(std::max(place, 0.0)), kErrorClasses - 1)];
    }
  }
  return out;
}

std::optional<double> EvOf(double mean, double most) {
  if (most <= 0) return std::nullopt;
  return 100 * mean / most;
}

std::optional<double> Reduction(const ErrorFigures& autonomous, const ErrorFigures& verified) {
  if (autonomous.mean < kSomeError) return std::nullopt;
  return 1 - verified.mean / autonomous.mean;
}

absl::StatusOr<ErrorComparison> Compare(ReplayRun& prepared, const Progress& progress) {
  RunSettings& settings = prepared.settings;
  settings.estimates = true;
  ErrorComparison out{.name = settings.name,
                      .machine = settings.sites.empty() ? "" : settings.sites.front(),
                      .packing = PackingText(settings),
                      .exact = settings.exact,
                      .times = TimesText(settings),
                      .interval_scale = prepared.workload.counts.interval_scale,
                      .jobs = prepared.workload.jobs.size()};
  out.machine = out.machine.substr(out.machine.find('=') + 1);
  for (size_t i = 1; i < settings.sites.size(); ++i) out.machine += " " + settings.sites[i];
  std::vector<double> errors[2];
  for (const bool autonomous : {true, false}) {
    settings.autonomous = autonomous;
    MUSTER_RETURN_IF_ERROR(Play(prepared, progress));
    (autonomous ? out.autonomous : out.verified) = prepared.figures.all;
    errors[autonomous ? 0 : 1] = SubmissionErrors(prepared.result);
    const std::vector<std::string>& wrong = prepared.result.violations;
    out.violations.insert(out.violations.end(), wrong.begin(), wrong.end());
  }
  const double most = out.autonomous.at_submission.most;
  out.autonomous_classes = Classify(errors[0], most);
  out.verified_classes = Classify(errors[1], most);
  return out;
}

absl::StatusOr<std::vector<ErrorComparison>> CompareAll(const std::vector<RunSettings>& runs,
                                                        const ComparisonAxes& axes,
                                                        const ComparisonProgress& progress) {
  std::vector<ErrorComparison> out;
  for (const bool exact : axes.exact) {
    for (const RunSettings& run : runs) {
      for (const std::string& site : axes.sites) {
        RunSettings settings = run;
        settings.sites = {site};
        settings.exact = exact;
        absl::StatusOr<ReplayRun> prepared = PrepareReplay(settings);
        if (!prepared.ok()) {
          return InvalidArgument("run '" + run.name + "': " + std::string(Text(prepared.status())));
        }
        for (const auto& [packing, threshold] : axes.packings) {
          prepared->settings.packing = packing;
          prepared->settings.threshold = threshold;
          absl::StatusOr<ErrorComparison> one =
              Compare(*prepared, progress ? progress(prepared->settings) : Progress());
          if (!one.ok()) {
            return InvalidArgument("run '" + run.name + "': " + std::string(Text(one.status())));
          }
          out.push_back(*std::move(one));
        }
      }
    }
  }
  return out;
}

}  // namespace muster::sim
