// What a site's feed and its answers mean: changes applied to the mirror, told in timelines and
// figures, and put before the attempts they concern. Errors are nonsense of the site. protocol.md
// sections 2 (report, resync, answers), 5 (moved), 7.5.
#pragma once

#include <optional>
#include <vector>

#include "base/status.h"
#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// A report is heard in three steps, so that its caller deals with the news of each change before
// the next one is told: its changes are applied to the mirror, each is told, and what is left is
// done.
absl::StatusOr<verifier::Mirror::Outcome> TakeReport(AttemptsLayer& f, Site& site,
                                                     const schemas::Report& report);
// A site answered an order about its nodes or about what runs there.
struct SteeredCame {
  schemas::Steered steered;
};
// None: the change is dealt with here.
std::optional<SteeredCame> TellChange(AttemptsLayer& f, Turn& t, Site& site,
                                      const schemas::Change& change);
absl::Status EndReport(AttemptsLayer& f, Turn& t, Site& site,
                       const verifier::Mirror::Outcome& outcome);

absl::Status OnListing(AttemptsLayer& f, Turn& t, Site& site, const schemas::Listing& page);
// One error for each answer that is nonsense; the others are taken.
std::vector<absl::Status> OnAnswers(AttemptsLayer& f, Turn& t, Site& site,
                                    const schemas::Answers& answers);

}  // namespace muster::meta
