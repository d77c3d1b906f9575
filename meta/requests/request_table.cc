// The indices are updated together with the map.
#include "meta/requests/request_table.h"

#include <algorithm>

#include "base/check.h"
#include "meta/requests/request_state.h"
#include "meta/turn/keys.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

using schemas::MetaRecord;

void Trim(schemas::RequestRecord& record) {
  // The first entry stays: the submission, and the first figures shown.
  if (record.events.size() > schemas::kHistoryKept) {
    record.events.erase(record.events.begin() + 1);
  }
  if (record.history.size() > schemas::kHistoryKept) {
    record.history.erase(record.history.begin() + 1);
  }
}

const std::set<RequestId>& Nothing() {
  static const std::set<RequestId> kNothing;
  return kNothing;
}

}  // namespace

bool HasScriptRecord(const Request& request) {
  return request.record().spec.payload.script.size() > schemas::kScriptInline;
}

schemas::RequestRecord StoredForm(const Request& request) {
  schemas::RequestRecord out = request.record();
  if (request.before()) {
    out.spec = *request.before();
    out.spec.payload = request.record().spec.payload;
  }
  if (HasScriptRecord(request)) out.spec.payload.script.clear();
  return out;
}

Request& RequestTable::Add(schemas::RequestRecord record) {
  due_.insert(record.id);
  due_scripts_.insert(record.id);
  return Enter(std::move(record));
}

void RequestTable::Restore(schemas::RequestRecord record) { Enter(std::move(record)); }

void RequestTable::RestoreScript(RequestId id, std::string script) {
  all_.at(id).record_.spec.payload.script = std::move(script);
}

Request& RequestTable::Enter(schemas::RequestRecord record) {
  const RequestId id = record.id;
  ByUser& user = users_[record.requester.user];
  user.all.insert(user.all.end(), id);
  if (!id.is_element()) user.keys[record.key.text] = id;
  if (record.state != schemas::RequestState::kEnded) {
    user.open.insert(user.open.end(), id);
    open_.insert(open_.end(), id);
  }
  const int32_t priority = PriorityOf(record.spec.queue);
  const auto it = all_.emplace_hint(all_.end(), id, Request(std::move(record)));
  it->second.priority = priority;
  return it->second;
}

schemas::RequestRecord& RequestTable::Edit(Request& request) {
  due_.insert(request.id());
  return request.record_;
}

void RequestTable::Try(Request& request, schemas::RequestSpec next, Trial trial) {
  MUSTER_CHECK(!request.before_);
  schemas::RequestSpec& spec = request.record_.spec;
  next.payload = spec.payload;
  request.before_ = std::exchange(spec, std::move(next));
  request.trial_ = trial;
}

void RequestTable::TakeTried(Request& request) {
  request.before_.reset();
  due_.insert(request.id());
}

void RequestTable::EndTry(Request& request) {
  request.record_.spec = std::move(request.before_).value();
  request.before_.reset();
}

void RequestTable::SetReason(Request& request, schemas::Reason reason) {
  if (request.record_.reason != reason) Edit(request).reason = std::move(reason);
}

void RequestTable::SetState(Request& request, schemas::RequestState state) {
  if (request.state() == state) return;
  // The state of an array follows from its elements, so any change is allowed.
  MUSTER_CHECK(request.record_.spec.array || MayFollow(request.state(), state));
  due_.insert(request.id());
  request.record_.state = state;
  if (!request.Ended()) return;
  open_.erase(request.id());
  const auto user = users_.find(request.record_.requester.user);
  if (user != users_.end()) user->second.open.erase(request.id());
}

void RequestTable::TakeWrites(std::vector<schemas::Write<MetaRecord>>& to) {
  for (const RequestId id : due_) {
    const auto it = all_.find(id);
    if (it == all_.end()) {
      to.push_back({RequestKey(id), std::nullopt});
      continue;
    }
    Trim(it->second.record_);
    to.push_back({RequestKey(id), StoredForm(it->second)});
  }
  due_.clear();
  for (const RequestId id : due_scripts_) {
    const Request* request = Find(id);
    if (!request) {
      to.push_back({ScriptKey(id), std::nullopt});
    } else if (HasScriptRecord(*request)) {
      to.push_back(
          {ScriptKey(id), schemas::ScriptRecord{id, request->record().spec.payload.script}});
    }
  }
  due_scripts_.clear();
}

void RequestTable::SetQueues(std::vector<std::string> queues) {
  queues_ = std::move(queues);
  for (const RequestId id : open_) {
    Request& request = all_.at(id);
    request.priority = PriorityOf(request.record().spec.queue);
  }
}

int32_t RequestTable::PriorityOf(const std::string& queue) const {
  const auto it = std::find(queues_.begin(), queues_.end(), queue);
  return it == queues_.end() ? 0 : static_cast<int32_t>(queues_.end() - it) - 1;
}

void RequestTable::Erase(RequestId id) {
  const auto it = all_.find(id);
  MUSTER_CHECK(it != all_.end());
  due_.insert(id);
  due_scripts_.insert(id);
  const schemas::RequestRecord& record = it->second.record();
  const auto user = users_.find(record.requester.user);
  user->second.all.erase(id);
  user->second.open.erase(id);
  // The key belongs to this record: it can be used again only after the record is erased.
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

const std::set<RequestId>& RequestTable::Of(const std::string& user) const {
  const auto it = users_.find(user);
  return it == users_.end() ? Nothing() : it->second.all;
}
const std::set<RequestId>& RequestTable::OpenOf(const std::string& user) const {
  const auto it = users_.find(user);
  return it == users_.end() ? Nothing() : it->second.open;
}

}  // namespace muster::meta
