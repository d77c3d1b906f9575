// Offers bind nobody: what comes of them is an attempt like any other, with the order of the table.
#include "meta/joint_moves.h"

#include <algorithm>
#include <vector>

#include "meta/alter.h"
#include "meta/attempts.h"
#include "meta/horizon.h"
#include "meta/rechoice.h"
#include "partitioner/meet.h"

namespace muster::meta {
namespace {

// The first start that all members offer and that is worth a move; none if there is no such one.
std::optional<Instant> CommonStart(const Federation& f, const Turn& t, const Request& request,
                                   const Attempt& attempt) {
  if (attempt.offers.size() < attempt.record.members.size()) return std::nullopt;
  const Interval worth =
      WorthAMove(f.options.rechoice, request, attempt.record.start, t.NowCeiling());
  if (worth.begin >= worth.end) return std::nullopt;
  std::vector<IntervalSet> sets = {StartsAt(f, t, request, true, attempt.record.members),
                                   IntervalSet({worth})};
  for (const auto& [site, starts] : attempt.offers) sets.push_back(starts);
  return partitioner::CommonStarts(sets).FirstFrom(worth.begin);
}

}  // namespace

absl::Status OnOffer(Federation& f, Turn& t, const std::string& site, const schemas::Offer& offer) {
  const auto it = f.attempts.find(offer.fence);
  if (it == f.attempts.end()) return absl::OkStatus();
  Attempt& attempt = it->second;
  const std::vector<std::string>& members = attempt.record.members;
  if (!attempt.Several() || std::find(members.begin(), members.end(), site) == members.end()) {
    return absl::InvalidArgumentError("an offer for what is not at this and another site");
  }
  attempt.offers.insert_or_assign(site, offer.starts);
  Request* request = f.requests.Find(attempt.record.request);
  if (!request || Movable(f, t, *request) != &attempt) return absl::OkStatus();
  request->nearest = NearestStart(f, t, *request);
  const std::optional<Instant> start = CommonStart(f, t, *request, attempt);
  if (!start) return absl::OkStatus();
  // Whatever comes of it, what was offered is used up.
  attempt.offers.clear();
  SeekElsewhere(f, *request);
  f.room.Remove(request->record.id);
  HoldAttempt(f, t, *request, attempt.record.part_sites, IntervalSet::Only(*start), *start);
  return absl::OkStatus();
}

}  // namespace muster::meta
