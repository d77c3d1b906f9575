// The display states of section 3.5, in their order.
#include "verifier/shown.h"

#include <algorithm>
#include <utility>

#include "base/node_set.h"
#include "base/units.h"

namespace muster::verifier {

using schemas::HoldState;
using schemas::PartShown;
using schemas::PartState;

PartShown ShownOf(HoldState hold) {
  switch (hold) {
    case HoldState::kNone:
      return PartShown::kSeeking;
    case HoldState::kHeld:
      return PartShown::kHeld;
    case HoldState::kPrepared:
      return PartShown::kPrepared;
    case HoldState::kCommitted:
      return PartShown::kCommitted;
    case HoldState::kPermitted:
      return PartShown::kPermitted;
    case HoldState::kClosed:
      return PartShown::kEnded;
  }
  return PartShown::kUnknown;
}

PartShown ShownOf(PartState part) {
  switch (part) {
    case PartState::kBooked:
      return PartShown::kSeeking;  // no display state; callers show the hold's
    case PartState::kReady:
      return PartShown::kReady;
    case PartState::kStarting:
      return PartShown::kStarting;
    case PartState::kRunning:
      return PartShown::kRunning;
    case PartState::kEnding:
      return PartShown::kEnding;
    case PartState::kEnded:
      return PartShown::kEnded;
  }
  return PartShown::kUnknown;
}

std::string ChangedWhileRunning(const schemas::PartBooking& booking) {
  std::string text;
  if (booking.extended > Span{0}) text = "may run " + DurationText(booking.extended) + " longer";
  if (booking.counts.empty()) return text;
  text += text.empty() ? "has " : ", and has ";
  for (size_t i = 0; i < booking.counts.size(); ++i) {
    text += (i == 0 ? "" : "+") + std::to_string(booking.counts[i]);
  }
  return text + " sets";
}

std::vector<schemas::Chunk> ChunksNow(std::vector<schemas::Chunk> chunks,
                                      const std::vector<uint64_t>& counts) {
  for (size_t i = 0; i < std::min(chunks.size(), counts.size()); ++i) {
    chunks[i].count = static_cast<uint32_t>(counts[i]);
  }
  return chunks;
}

void ShowSet(const std::string& set, Span slower, const std::string& group,
             schemas::PartView& part) {
  const bool one_switch = set == kSwitchAttribute;
  part.group = one_switch ? set : "";
  if (!set.empty() && !one_switch) part.set = set;
  if (!group.empty()) part.set_group = group;
  if (slower != Span{0}) part.slower_s = slower;
}

void ShowLent(const schemas::PartBooking& booking, schemas::PartView& part) {
  if (const std::optional<schemas::Lent>& lent = booking.lent) {
    schemas::LentView& view = part.lent.emplace();
    view.state = lent->state;
    view.since = lent->since;
    view.started_at = lent->started_at;
    if (!lent->recalled_for.empty()) view.recalled_for = lent->recalled_for;
    view.nodes = lent->nodes;
    view.paused_at = lent->paused_at;
  }
  if (booking.recalls > 0) part.recalls = booking.recalls;
  if (booking.saved > Span{0}) part.saved_s = booking.saved;
  if (booking.lost > BootSpan{0}) part.lost_s = Span{(booking.lost.milliseconds + 999) / 1000};
}

std::optional<schemas::ContractView> ContractShown(const schemas::RequestSpec& spec) {
  if (!spec.contract) return std::nullopt;
  return schemas::ContractView{.way = spec.contract->way,
                               .grace_s = spec.contract->grace,
                               .min_run_s = spec.contract->min_run,
                               .max_recalls = spec.contract->max_recalls};
}

std::optional<schemas::EndNotice> EndNoticeShown(const schemas::RequestSpec& spec) {
  if (!spec.notice) return std::nullopt;
  return schemas::EndNotice{
      .before_s = spec.notice->before, .signal = spec.notice->signal, .argv = spec.notice->argv};
}

}  // namespace muster::verifier
