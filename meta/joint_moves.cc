// Offers bind nobody: what comes of them is an attempt like any other, with the order of the table.
#include "meta/joint_moves.h"

#include <algorithm>
#include <vector>

#include "meta/alter.h"
#include "meta/horizon.h"
#include "meta/meetings.h"
#include "meta/rechoice.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

constexpr BootSpan kTogether = Milliseconds(100);  // what becomes free so close makes one pass
constexpr BootSpan kPassApart = Seconds(1);
constexpr size_t kLooks = 64;      // requests looked at in a turn
constexpr size_t kSearches = 16;   // begun in a pass, so in a second
constexpr Span kAtOnceWithin{60};  // behind the lead: such a start comes at once
constexpr Span kLeastAtOnce{2};    // gains that are worth it
constexpr Span kLeastLater{60};
constexpr int64_t kLaterShare = 50;  // and of the remaining wait, one in so many
constexpr uint32_t kMoveTries = 3;   // in a row, without anything else that becomes free

Attempt* MovableJointly(Federation& f, const Turn& t, const Request& request) {
  if (request.record.spec.parts.size() < 2) return nullptr;
  const Attempt* attempt = Movable(f, t, request);
  if (attempt == nullptr || attempt->record.state >= schemas::AttemptState::kBarrier)
    return nullptr;
  return &f.attempts.at(attempt->record.fence);
}

}  // namespace

absl::Status OnOffer(Federation& f, Turn&, const std::string& site, const schemas::Offer& offer) {
  const auto it = f.attempts.find(offer.fence);
  if (it == f.attempts.end()) return absl::OkStatus();
  const std::vector<std::string>& members = it->second.record.members;
  if (!it->second.Several() || std::find(members.begin(), members.end(), site) == members.end()) {
    return absl::InvalidArgumentError("an offer for what is not at this and another site");
  }
  it->second.offers.insert_or_assign(site, offer.starts);
  f.joint.Owe();
  return absl::OkStatus();
}

Interval WorthAJointMove(const Federation& f, const Turn& t, const Request& request,
                         Instant start) {
  const Instant now = t.NowCeiling();
  const Instant soon = now + Span{f.options.values.lead.milliseconds / 1000} + kAtOnceWithin;
  const Instant at_once = std::min(soon, start - kLeastAtOnce);
  const Span gain = std::max(kLeastLater, Span{(start - now).seconds / kLaterShare});
  return {std::max(request.nearest, verifier::EarliestMove(request.record.spec, ToMoment(now))),
          std::max(at_once, start - gain) + Span{1}};
}

void JointMoveFailed(Federation& f, Request& request) {
  if (++request.moves_failed <= kMoveTries) f.joint.Owe();
}

void SeekJointMoves(Federation& f, Turn& t) {
  if (!f.joint.Begin(f, t.boot(), kTogether, kPassApart)) return;
  for (size_t looked = 0; looked < kLooks; ++looked) {
    const std::optional<RequestId> next = f.joint.Next();
    if (!next) return;
    Request* request = f.requests.Find(*next);
    Attempt* attempt = request ? MovableJointly(f, t, *request) : nullptr;
    if (attempt == nullptr) continue;
    request->nearest = NearestStart(f, t, *request);
    const Interval worth = WorthAJointMove(f, t, *request, attempt->record.start);
    if (!HasAChance(f, t, *request, *attempt, worth)) continue;
    attempt->offers.clear();  // whatever comes of it, what was offered is used up
    SeekElsewhere(f, *request);
    f.joint.Sought(kSearches);
  }
  if (f.joint.running()) t.WakeBy(t.boot());
}

std::optional<BootInstant> NextJointMove(const Federation& f) { return f.joint.NextPass(); }

}  // namespace muster::meta
