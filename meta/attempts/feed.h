// Handles the feed and the answers of a site: changes are applied to the mirror, recorded in
// timelines and figures, and put before the attempts they concern. An error means that the site
// sent nonsense. protocol.md sections 2 (report, resync, answers), 5 (moved), 7.5.
#pragma once

#include <optional>
#include <vector>

#include "base/status.h"
#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// A report is handled in three steps, so that the caller can handle the news of each change before
// the next one: TakeReport applies the changes to the mirror, TellChange records one of them,
// EndReport does the rest.
absl::StatusOr<verifier::Mirror::Outcome> TakeReport(AttemptsLayer& f, Site& site,
                                                     const schemas::Report& report);
// A site answered an order about its nodes or about a running part.
struct SteeredCame {
  schemas::Steered steered;
};
// Returns an answer that the caller must handle; nullopt if the change is dealt with here.
std::optional<SteeredCame> TellChange(AttemptsLayer& f, Turn& t, Site& site,
                                      const schemas::Change& change);
absl::Status EndReport(AttemptsLayer& f, Turn& t, Site& site,
                       const verifier::Mirror::Outcome& outcome);

absl::Status OnListing(AttemptsLayer& f, Turn& t, Site& site, const schemas::Listing& page);
// Returns one error for each nonsensical answer; the others are taken.
std::vector<absl::Status> OnAnswers(AttemptsLayer& f, Turn& t, Site& site,
                                    const schemas::Answers& answers);

}  // namespace muster::meta
