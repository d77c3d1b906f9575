// As it is first: what cannot be run at all is no fault of the change.
#include "sim/whatif/answer.h"

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
  SideOptions options{.snapshot = &snapshot,
                      .past = &past,
                      .user = order.user,
                      .ahead = order.question.ahead,
                      .replay = order.question.replay};
  MUSTER_ASSIGN_OR_RETURN(const SideOutcome before, RunSide(options));
  if (!before.refused.empty()) return Internal(before.refused);
  options.changes = order.question.changes;
  MUSTER_ASSIGN_OR_RETURN(const SideOutcome after, RunSide(options));
  schemas::WhatIfView out =
      Compared(before, after, {.user = order.user, .is_operator = order.is_operator});
  out.seed = order.question.seed;
  out.basis = BasisOf(order, snapshot);
  return out;
}

}  // namespace muster::sim
