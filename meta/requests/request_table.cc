// Indices follow the map.
#include "meta/requests/request_table.h"

#include <algorithm>

#include "base/check.h"

namespace muster::meta {
namespace {

const std::set<RequestId>& Nothing() {
  static const std::set<RequestId> kNothing;
  return kNothing;
}

}  // namespace

Request& RequestTable::Add(schemas::RequestRecord record) {
  const RequestId id = record.id;
  ByUser& user = users_[record.requester.user];
  user.all.insert(user.all.end(), id);
  if (!id.is_element()) user.keys[record.key.text] = id;
  if (record.state != schemas::RequestState::kEnded) {
    user.open.insert(user.open.end(), id);
    open_.insert(open_.end(), id);
  }
  const auto it = all_.emplace_hint(all_.end(), id, Request{});
  it->second.priority = PriorityOf(record.spec.queue);
  it->second.record = std::move(record);
  return it->second;
}

void RequestTable::SetQueues(std::vector<std::string> queues) {
  queues_ = std::move(queues);
  for (const RequestId id : open_) {
    Request& request = all_.at(id);
    request.priority = PriorityOf(request.record.spec.queue);
  }
}

int32_t RequestTable::PriorityOf(const std::string& queue) const {
  const auto it = std::find(queues_.begin(), queues_.end(), queue);
  return it == queues_.end() ? 0 : static_cast<int32_t>(queues_.end() - it) - 1;
}

void RequestTable::Erase(RequestId id) {
  const auto it = all_.find(id);
  MUSTER_CHECK(it != all_.end());
  const schemas::RequestRecord& record = it->second.record;
  const auto user = users_.find(record.requester.user);
  user->second.all.erase(id);
  user->second.open.erase(id);
  // A text may have been taken again meanwhile only if this record had been erased before.
  if (!id.is_element()) user->second.keys.erase(record.key.text);
  open_.erase(id);
  if (user->second.all.empty()) users_.erase(user);
  all_.erase(it);
}

Request* RequestTable::Find(RequestId id) {
  const auto it = all_.find(id);
  return it == all_.end() ? nullptr : &it->second;
}
const Request* RequestTable::Find(RequestId id) const {
  const auto it = all_.find(id);
  return it == all_.end() ? nullptr : &it->second;
}

const Request* RequestTable::FindKey(const std::string& user, const std::string& key) const {
  const auto by_user = users_.find(user);
  if (by_user == users_.end()) return nullptr;
  const auto it = by_user->second.keys.find(key);
  return it == by_user->second.keys.end() ? nullptr : Find(it->second);
}

void RequestTable::Close(const Request& request) {
  open_.erase(request.record.id);
  const auto user = users_.find(request.record.requester.user);
  if (user != users_.end()) user->second.open.erase(request.record.id);
}

const std::set<RequestId>& RequestTable::Of(const std::string& user) const {
  const auto it = users_.find(user);
  return it == users_.end() ? Nothing() : it->second.all;
}
const std::set<RequestId>& RequestTable::OpenOf(const std::string& user) const {
  const auto it = users_.find(user);
  return it == users_.end() ? Nothing() : it->second.open;
}

}  // namespace muster::meta
