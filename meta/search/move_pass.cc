// A pass lists its requests when it begins. Requests that are promised during the pass are not in
// it: they have just been placed as early as possible.
#include "meta/search/move_pass.h"

#include <algorithm>
#include <utility>

#include "meta/requests/rank.h"

namespace muster::meta {
namespace {

constexpr BootSpan kTogether = Milliseconds(100);  // releases this close together share a pass

}  // namespace

bool MovePass::Begin(const RequestTable& requests, BootInstant now, BootSpan apart,
                     bool (*looks)(const Request&)) {
  if (running()) return true;
  if (owed_at_ && *owed_at_ <= now) owed_ = true;
  if (!owed_) return false;
  if (!seen_) not_before_ = std::max(not_before_, now + kTogether);
  seen_ = now < not_before_;
  if (seen_) return false;
  owed_ = false;
  owed_at_.reset();
  sought_ = 0;
  not_before_ = now + apart;
  std::vector<room::Rank> ranks;
  for (const RequestId id : requests.open()) {
    const Request& request = *requests.Find(id);
    const bool promised = request.state() == schemas::RequestState::kPromised;
    if (promised && looks(request)) ranks.push_back(RankOf(request));
  }
  std::sort(ranks.begin(), ranks.end());
  for (const room::Rank& rank : ranks) left_.push_back(rank.id);
  if (const auto behind = std::find(left_.begin(), left_.end(), behind_); behind_) {
    if (behind != left_.end()) std::rotate(left_.begin(), behind, left_.end());
    behind_.reset();
  }
  std::reverse(left_.begin(), left_.end());
  return running();
}

std::optional<RequestId> MovePass::Next() {
  if (left_.empty()) return std::nullopt;
  const RequestId next = left_.back();
  left_.pop_back();
  return next;
}

void MovePass::Sought(size_t most) {
  if (++sought_ < most || left_.empty()) return;
  behind_ = left_.back();
  left_.clear();
  owed_ = true;
}

std::optional<BootInstant> MovePass::NextPass() const {
  if (running()) return std::nullopt;
  if (owed_) return not_before_;
  if (!owed_at_) return std::nullopt;
  return std::max(*owed_at_, not_before_);
}

}  // namespace muster::meta
