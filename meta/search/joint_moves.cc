// Offers bind nobody. A move is made by an ordinary attempt, with the steps of the attempt table.
#include "meta/search/joint_moves.h"

#include <algorithm>
#include <vector>

#include "meta/search/meeting_search.h"
#include "meta/search/move_gain.h"

namespace muster::meta {
absl::Status OnOffer(SearchLayer& f, Turn&, const std::string& site, const schemas::Offer& offer) {
  const auto it = f.attempts.find(offer.fence);
  if (it == f.attempts.end()) return absl::OkStatus();
  const std::vector<std::string>& members = it->second.record().members;
  if (!it->second.Several() || std::find(members.begin(), members.end(), site) == members.end()) {
    return absl::InvalidArgumentError("an offer for what is not at this and another site");
  }
  it->second.offers.insert_or_assign(site, offer.starts);
  f.moves.at_once.Owe();
  return absl::OkStatus();
}

bool MayMoveJointly(const SearchLayer& f, const Turn& t, const Request& request,
                    const Attempt& attempt) {
  const Interval worth = WorthAJointMove(f, t, request, attempt.record().start);
  return HasAChance(f, t, request, attempt, worth);
}

}  // namespace muster::meta
