// Marks are set here alone.
#include "meta/requests/attempt_table.h"

#include "base/check.h"
#include "meta/turn/keys.h"

namespace muster::meta {

Attempt& AttemptTable::Add(schemas::AttemptRecord record) {
  const auto [it, added] = all_.try_emplace(record.fence);
  MUSTER_CHECK(added);
  it->second.record_ = std::move(record);
  return it->second;
}

void AttemptTable::Restore(schemas::AttemptRecord record) {
  Attempt& attempt = all_[record.fence];
  attempt.durable_ = true;
  attempt.record_ = std::move(record);
}

schemas::AttemptRecord& AttemptTable::Edit(Attempt& attempt) {
  if (attempt.durable()) due_.insert(attempt.fence());
  return attempt.record_;
}

void AttemptTable::MakeDurable(Attempt& attempt) {
  attempt.durable_ = true;
  due_.insert(attempt.fence());
}

void AttemptTable::Erase(const Fence& fence) {
  const auto it = all_.find(fence);
  MUSTER_CHECK(it != all_.end() && it->second.state() == schemas::AttemptState::kClosed);
  if (it->second.durable()) due_.insert(fence);
  all_.erase(it);
}

void AttemptTable::TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to) {
  for (const Fence& fence : due_) {
    const auto it = all_.find(fence);
    if (it == all_.end()) {
      to.push_back({AttemptKey(fence), std::nullopt});
    } else {
      to.push_back({AttemptKey(fence), it->second.record()});
    }
  }
  due_.clear();
}

}  // namespace muster::meta
