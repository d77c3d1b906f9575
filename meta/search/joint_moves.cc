// Offers bind nobody. A move is made by an ordinary attempt, with the steps of the attempt table.
#include "meta/search/joint_moves.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "meta/search/fruitless_look.h"
#include "meta/search/meeting_search.h"
#include "meta/search/move_gain.h"

namespace muster::meta {
namespace {

std::vector<SiteRoom> RoomsOf(const SearchLayer& f) {
  std::vector<SiteRoom> out;
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    out.push_back({.usable = site.Up() && !site.disk_low,
                   .freed = site.shadow.freed(),
                   .turnover = site.capacity ? site.capacity->turnover : Span{0}});
  }
  return out;
}

// The request's gate may open earlier than expected, without any change of room.
bool IsGated(const Request& request) {
  return !request.record().spec.after.empty() || request.id().is_element();
}

// Schedules a pass for the time from which the start that was found is worth a move.
void LookAgain(SearchLayer& f, const Turn& t, const Attempt& attempt,
               const std::optional<Instant>& found) {
  if (!found) return;
  const std::optional<Instant> from = WorthAJointMoveFrom(f, attempt.record().start, *found);
  if (!from) return;
  f.moves.at_once.OweAt(t.boot() + Seconds((*from - t.NowCeiling()).seconds));
}

}  // namespace

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

bool MayMoveJointly(SearchLayer& f, const Turn& t, const Request& request, const Attempt& attempt) {
  const Interval worth = WorthAJointMove(f, t, request, attempt.record().start);
  if (worth.begin >= worth.end) return false;
  std::vector<SiteRoom> rooms = RoomsOf(f);
  const std::optional<FruitlessLook>& last = f.searches.Of(request.id()).fruitless;
  if (last && last->StillHolds(attempt.fence(), rooms, worth, attempt.offers)) {
    LookAgain(f, t, attempt, last->later);
    return false;
  }
  // The least gain that a move is worth shrinks as the start comes nearer. So the look covers all
  // times before the start, and holds longer.
  FruitlessLook look{.place = attempt.fence(),
                     .rooms = std::move(rooms),
                     .within = {worth.begin, std::max(worth.end, attempt.record().start)}};
  // A start beyond the horizon cannot be taken yet.
  if (f.options.horizon) {
    look.within.end = std::min(look.within.end, t.plan.Floor() + *f.options.horizon + Span{1});
  }
  const std::optional<Instant> chance =
      EarliestChance(f, t, request, attempt, look.within, look.seen);
  if (chance && *chance < worth.end) return true;
  if (chance) look.within.end = *chance;
  look.later = chance;
  LookAgain(f, t, attempt, chance);
  if (!IsGated(request)) f.searches.NoteFruitless(request.id(), std::move(look));
  return false;
}

}  // namespace muster::meta
