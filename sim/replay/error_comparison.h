// Compares autonomous and verified scheduling of the same requests: how far the announced starts
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

// Counts errors by size: zero, then kErrorClasses classes that divide (0, `most`], then larger
// ones.
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

// The same workload under both schedulers.
struct ErrorComparison {
  std::string name;     // name of the run in its scenario
  std::string machine;  // its sites
  std::string packing;  // packing and threshold
  bool exact = false;
  std::string times;  // see TimesText
  double interval_scale = 1;
  size_t jobs = 0;
  GroupFigures autonomous;
  GroupFigures verified;
  // Errors of the starts announced at submission, in twentieths of the autonomous maximum, as CCS
  // Fig. 14 and 15.
  ErrorClasses autonomous_classes;
  ErrorClasses verified_classes;
  std::vector<std::string> violations;
};

// 100 * mean / most, where `most` may come from another run; none if `most` is 0.
std::optional<double> EvOf(double mean, double most);
// 1 - verified mean / autonomous mean; none if the autonomous mean is below a minute.
std::optional<double> Reduction(const ErrorFigures& autonomous, const ErrorFigures& verified);

// Runs `prepared` under both schedulers; its settings determine everything else. Errors: as Play.
absl::StatusOr<ErrorComparison> Compare(ReplayRun& prepared, const Progress& progress);

// The combinations to compare: every run on all of these sites, with every packing and kind of
// times.
struct ComparisonAxes {
  std::vector<std::string> sites;
  std::vector<std::pair<std::string, std::optional<Span>>> packings;  // with their thresholds
  std::vector<bool> exact;
};
// Makes all comparisons, ordered by `exact`, run, site, packing. Before each, `progress` returns
// the function that is told how many of its jobs are done. Errors: as Compare, with the run's name.
using ComparisonProgress = std::function<Progress(const RunSettings& settings)>;
absl::StatusOr<std::vector<ErrorComparison>> CompareAll(const std::vector<RunSettings>& runs,
                                                        const ComparisonAxes& axes,
                                                        const ComparisonProgress& progress);

}  // namespace muster::sim
