// Only this file changes the state of an attempt, whether it is durable, and when it wakes.
#include "meta/requests/attempt_table.h"

#include <utility>

#include "base/check.h"
#include "meta/turn/keys.h"
#include "verifier/attempt_table.h"

namespace muster::meta {

Attempt& AttemptTable::Add(schemas::AttemptRecord record) {
  const auto [it, added] = all_.try_emplace(record.fence);
  MUSTER_CHECK(added);
  it->second.record_ = std::move(record);
  return it->second;
}

bool AttemptTable::Restore(schemas::AttemptRecord record) {
  const bool permitted = verifier::Permitted(record.state);
  if (permitted && !permitted_.emplace(record.request, record.fence).second) return false;
  Attempt& attempt = all_[record.fence];
  attempt.durable_ = true;
  attempt.record_ = std::move(record);
  return true;
}

schemas::AttemptRecord& AttemptTable::Edit(Attempt& attempt) {
  if (attempt.durable()) due_.insert(attempt.fence());
  return attempt.record_;
}

void AttemptTable::Enter(Attempt& attempt, schemas::AttemptState state) {
  const bool was = verifier::Permitted(attempt.state());
  const bool is = verifier::Permitted(state);
  const RequestId request = attempt.record().request;
  if (is && !was) {
    const bool only_one_is_permitted = permitted_.emplace(request, attempt.fence()).second;
    MUSTER_CHECK(only_one_is_permitted);
  }
  if (was && !is) permitted_.erase(request);
  Edit(attempt).state = state;
}

void AttemptTable::MakeDurable(Attempt& attempt) {
  attempt.durable_ = true;
  due_.insert(attempt.fence());
}

void AttemptTable::Erase(const Fence& fence) {
  const auto it = all_.find(fence);
  MUSTER_CHECK(it != all_.end() && it->second.state() == schemas::AttemptState::kClosed);
  if (it->second.durable()) due_.insert(fence);
  WakeAt(it->second, std::nullopt);
  all_.erase(it);
}

void AttemptTable::WakeAt(Attempt& attempt, std::optional<BootInstant> at) {
  if (attempt.wake_ == at) return;
  if (attempt.wake_) wakes_.erase({*attempt.wake_, attempt.fence()});
  attempt.wake_ = at;
  if (at) wakes_.insert({*at, attempt.fence()});
}

std::optional<BootInstant> AttemptTable::NextWake() const {
  if (wakes_.empty()) return std::nullopt;
  return wakes_.begin()->first;
}

void AttemptTable::TouchDue(BootInstant now) {
  for (const auto& [at, fence] : wakes_) {
    if (at > now) break;
    touched_.insert(fence);
  }
}

void AttemptTable::Tell(AttemptNews news) { news_.push_back(std::move(news)); }

void AttemptTable::TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to) {
  for (const Fence& fence : due_) {
    const auto it = all_.find(fence);
    if (it == all_.end()) {
      to.push_back({AttemptKey(fence), std::nullopt});
    } else {
      const schemas::AttemptRecord& record = it->second.record();
      const auto permitted = permitted_.find(record.request);
      const bool known = permitted != permitted_.end() && permitted->second == fence;
      MUSTER_CHECK(known == verifier::Permitted(record.state));
      to.push_back({AttemptKey(fence), record});
    }
  }
  due_.clear();
}

}  // namespace muster::meta
