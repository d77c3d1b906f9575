// Autonomous against verified scheduling of the same requests: how far the starts that were told
// are off, by the formulas of scheduling.md section 10 and CCS Sect. 4.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/replay/replay_figures.h"
#include "sim/replay/replay_run.h"

namespace muster::sim {

// Errors by size: none, then classes of a twentieth of `most` each, then above it.
inline constexpr size_t kErrorClasses = 20;
struct ErrorClasses {
  size_t none = 0;
  std::vector<size_t> classes = std::vector<size_t>(kErrorClasses);
  size_t above = 0;

  size_t Count() const;
  ErrorClasses& operator+=(const ErrorClasses& other);
};
// REQUIRES: errors >= 0.
ErrorClasses Classify(const std::vector<double>& errors, double most);

// One run of both.
struct ErrorComparison {
  std::string name;     // of the run: its trace
  std::string machine;  // its sites
  std::string packing;  // and threshold
  bool exact = false;
  std::string times;  // TimesText
  double interval_scale = 1;
  size_t jobs = 0;
  GroupFigures autonomous;
  GroupFigures verified;
  // Of what was told at submission, by twentieths of the autonomous maximum, as CCS Fig. 14 and 15.
  ErrorClasses autonomous_classes;
  ErrorClasses verified_classes;
  std::vector<std::string> violations;
};

// 100 * mean / most, of another run's maximum; none if that is 0.
std::optional<double> EvOf(double mean, double most);
// 1 - verified / autonomous; none if the autonomous mean is below a minute.
std::optional<double> Reduction(const ErrorFigures& autonomous, const ErrorFigures& verified);

// Both runs of `prepared`, whose settings say all but the scheduler. Errors: as of Play.
absl::StatusOr<ErrorComparison> Compare(ReplayRun& prepared, const Progress& progress);

// What is compared: each run on all of these sites, by each packing, with each kind of times.
struct ComparisonAxes {
  std::vector<std::string> sites;
  std::vector<std::pair<std::string, std::optional<Span>>> packings;  // with their thresholds
  std::vector<bool> exact;
};
// By times, then run, site, packing. `progress` is told before each. Errors: as of Compare, with
// the run's name.
using ComparisonProgress = std::function<Progress(const RunSettings& settings)>;
absl::StatusOr<std::vector<ErrorComparison>> CompareAll(const std::vector<RunSettings>& runs,
                                                        const ComparisonAxes& axes,
                                                        const ComparisonProgress& progress);

}  // namespace muster::sim
