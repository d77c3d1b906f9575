// Both sides run at the same time; they share nothing that changes. What cannot be run as it is, is
// no fault of the change.
#include "sim/whatif/answer.h"

#include <future>
#include <utility>

#include "base/units.h"
#include "sim/whatif/comparison.h"
#include "sim/whatif/past_runs.h"
#include "sim/whatif/side.h"

namespace muster::sim {
namespace {

std::vector<std::string> BasisOf(const schemas::WhatIfOrder& order,
                                 const FederationSnapshot& snapshot) {
  std::vector<std::string> out;
  for (const auto& [name, site] : snapshot.sites) {
    const Span apart = snapshot.meta.origin.wall.Floor() - site.origin.wall.Floor();
    out.push_back(name + ": its records as they were" +
                  (apart > Span{1} ? " " + DurationText(apart) + " before" : ""));
  }
  for (const schemas::SilentSite& site : order.silent) {
    out.push_back(site.site + ": left out, it " + site.why);
  }
  if (order.question.replay) {
    out.emplace_back("jobs come as they came, without those that sites' own users gave them");
  } else if (order.question.ahead) {
    out.emplace_back("run times drawn as forecasts draw them; nobody else comes");
  }
  return out;
}

}  // namespace

absl::StatusOr<schemas::WhatIfView> AnswerWhatIf(const schemas::WhatIfOrder& order,
                                                 const FederationSnapshot& snapshot) {
  if (snapshot.sites.empty()) return Unavailable("no site shows its records");
  const PastRuns past(snapshot.meta, order.question.seed);
  const SideOptions as_is{.snapshot = &snapshot,
                          .past = &past,
                          .user = order.user,
                          .ahead = order.question.ahead,
                          .replay = order.question.replay};
  SideOptions options = as_is;
  options.changes = order.question.changes;
  auto changed = std::async(std::launch::async, [&options] { return RunSide(options); });
  const absl::StatusOr<SideOutcome> run_as_is = RunSide(as_is);
  const absl::StatusOr<SideOutcome> run_changed = changed.get();
  MUSTER_ASSIGN_OR_RETURN(const SideOutcome& before, run_as_is);
  if (!before.refused.empty()) return Internal(before.refused);
  MUSTER_ASSIGN_OR_RETURN(const SideOutcome& after, run_changed);
  schemas::WhatIfView out =
      Compared(before, after, {.user = order.user, .is_operator = order.is_operator});
  out.seed = order.question.seed;
  out.basis = BasisOf(order, snapshot);
  return out;
}

}  // namespace muster::sim
