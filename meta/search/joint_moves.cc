// Offers bind nobody: what comes of them is an attempt like any other, with the order of the table.
#include "meta/search/joint_moves.h"

#include <algorithm>
#include <vector>

#include "meta/search/meetings.h"
#include "meta/search/moves.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

constexpr Span kLeastLater{60};      // the gain of a start that does not come at once
constexpr int64_t kLaterShare = 50;  // and of the remaining wait, one in so many
constexpr uint32_t kMoveTries = 3;   // in a row, without anything else that becomes free

}  // namespace

absl::Status OnOffer(SearchLayer& f, Turn&, const std::string& site, const schemas::Offer& offer) {
  const auto it = f.attempts.find(offer.fence);
  if (it == f.attempts.end()) return absl::OkStatus();
  const std::vector<std::string>& members = it->second.record().members;
  if (!it->second.Several() || std::find(members.begin(), members.end(), site) == members.end()) {
    return absl::InvalidArgumentError("an offer for what is not at this and another site");
  }
  it->second.offers.insert_or_assign(site, offer.starts);
  f.moves_at_once.Owe();
  return absl::OkStatus();
}

Interval WorthAJointMove(const SearchLayer& f, const Turn& t, const Request& request,
                         Instant start) {
  const Instant now = t.NowCeiling();
  const Instant soon = now + Span{f.options.values.lead.milliseconds / 1000} + kAtOnceWithin;
  const Instant at_once = std::min(soon, start - kLeastAtOnce);
  const Span gain = std::max(kLeastLater, Span{(start - now).seconds / kLaterShare});
  return {std::max(request.nearest, verifier::EarliestMove(request.record().spec, ToMoment(now))),
          std::max(at_once, start - gain) + Span{1}};
}

bool MayMoveJointly(const SearchLayer& f, const Turn& t, const Request& request,
                    const Attempt& attempt) {
  const Interval worth = WorthAJointMove(f, t, request, attempt.record().start);
  return HasAChance(f, t, request, attempt, worth);
}

void JointMoveFailed(SearchLayer& f, const Request& request) {
  if (f.searches.CountFailedMove(request.id()) <= kMoveTries) f.moves_at_once.Owe();
}

}  // namespace muster::meta
