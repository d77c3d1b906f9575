// See ledger.h.
#include "verifier/ledger.h"

#include <cstdio>
#include <utility>
#include <variant>

#include "base/check.h"
#include "schemas/canonical.h"
#include "schemas/limits.h"
#include "verifier/hold_table.h"

namespace muster::verifier {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;

std::string Hex16(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

std::string HoldKey(const Fence& fence) {
  return "hold/" + Hex16(fence.epoch.value) + "." + Hex16(fence.number);
}
std::string ChangeKey(Revision revision) { return "change/" + Hex16(revision.value); }
std::string NodeKey(const std::string& name) { return "node/" + name; }
std::string SteerKey(uint64_t order) { return "steer/" + Hex16(order); }
std::string LocalKey(uint64_t number) { return "local/" + Hex16(number); }
std::string SizeKey(const std::string& node) { return "size/" + node; }

absl::StatusOr<Ledger> Ledger::Load(const std::string& federation, const std::string& site,
                                    std::vector<std::pair<std::string, Record>> records) {
  Ledger ledger;
  ledger.identity_ = {.federation = federation, .site = site};
  // The identity says where the feed ends, so it must be read before the changes.
  for (const auto& [key, record] : records) {
    if (key != kSiteKey) continue;
    const auto* identity = std::get_if<schemas::SiteIdentity>(&record);
    if (identity == nullptr) return Internal("the record under 'site' is not a site's identity");
    // A site without a configured federation belongs to the first one that welcomed it.
    const bool other =
        !federation.empty() && !identity->federation.empty() && identity->federation != federation;
    if (other || identity->site != site) {
      return InvalidArgument("this store belongs to site '" + identity->site + "' of federation '" +
                             identity->federation + "', not to site '" + site + "' of '" +
                             federation + "'");
    }
    ledger.identity_ = *identity;
    if (ledger.identity_.federation.empty()) ledger.identity_.federation = federation;
  }
  ledger.stored_identity_ = ledger.identity_;
  ledger.feed_ = Feed(ledger.identity_.feed, ledger.identity_.acknowledged);
  for (auto& [key, record] : records) {
    if (key == kSiteKey) continue;
    MUSTER_RETURN_IF_ERROR(ledger.Restore(key, std::move(record)));
  }
  MUSTER_RETURN_IF_ERROR(ledger.feed_.CheckComplete());
  return ledger;
}

absl::Status Ledger::Restore(const std::string& key, Record record) {
  const absl::Status misfit = Internal("the record under '" + key + "' does not fit its key");
  if (auto* change = std::get_if<schemas::ChangeRecord>(&record)) {
    if (key != ChangeKey(change->change.revision)) {
      return Internal("the change under '" + key + "' is another one");
    }
    return feed_.Restore(std::move(*change));
  }
  if (auto* hold = std::get_if<HoldRecord>(&record)) return RestoreHold(key, std::move(*hold));
  if (auto* node = std::get_if<schemas::NodeRecord>(&record)) {
    if (key != NodeKey(node->name)) return misfit;
    const std::string name = node->name;
    drained_.Restore(name, std::move(*node));
  } else if (auto* size = std::get_if<schemas::SizeRecord>(&record)) {
    if (key != SizeKey(size->name)) return misfit;
    const std::string name = size->name;
    sizes_.Restore(name, std::move(*size));
  } else if (auto* steer = std::get_if<schemas::SteerDoneRecord>(&record)) {
    if (key != SteerKey(steer->result.order)) return misfit;
    const uint64_t order = steer->result.order;
    steers_.Restore(order, std::move(*steer));
  } else if (auto* local = std::get_if<schemas::LocalRecord>(&record)) {
    if (key != LocalKey(local->number)) return misfit;
    const uint64_t number = local->number;
    // A number above the counter would be assigned a second time.
    if (number > identity_.last_local) return Internal("'" + key + "' was never given");
    locals_.Restore(number, std::move(*local));
  } else if (auto* use = std::get_if<schemas::UseRecord>(&record)) {
    if (key != UseKey(use->window, use->who)) return misfit;
    use_.Restore(std::move(*use));
  } else {
    return misfit;
  }
  return absl::OkStatus();
}

absl::Status Ledger::RestoreHold(const std::string& key, HoldRecord hold) {
  const Fence fence = hold.order.fence;
  if (key != HoldKey(fence)) {
    return Internal("the record under '" + key + "' does not fit its key");
  }
  const auto [it, added] = holds_.emplace(fence, std::move(hold));
  if (!added) return Internal("the record under '" + key + "' is there twice");
  Tally(it->second, 1);
  IndexClosed(it->second);
  return absl::OkStatus();
}

void Ledger::CountIncarnation() {
  identity_.incarnation.value += 1;
  identity_due_ = true;
}
void Ledger::SetFederation(const std::string& name) {
  identity_.federation = name;
  identity_due_ = true;
}
void Ledger::SetEpoch(Epoch epoch) {
  identity_.epoch = epoch;
  identity_due_ = true;
}
void Ledger::SetValues(const schemas::ProtocolValues& values) {
  if (identity_.values == values) return;
  identity_.values = values;
  identity_due_ = true;
}
void Ledger::RaiseFloor(const Fence& floor) {
  if (identity_.floor < floor) identity_.floor = floor;
}

const HoldRecord* Ledger::Find(const Fence& fence) const {
  const auto it = holds_.find(fence);
  return it == holds_.end() ? nullptr : &it->second;
}

HoldRecord& Ledger::Create(const Fence& fence) {
  const auto [it, added] = holds_.emplace(fence, HoldRecord{});
  MUSTER_CHECK(added);
  it->second.order.fence = fence;
  dirty_.insert(fence);
  return it->second;
}

HoldRecord& Ledger::Edit(const Fence& fence) {
  const auto it = holds_.find(fence);
  MUSTER_CHECK(it != holds_.end());
  dirty_.insert(fence);
  return it->second;
}

void Ledger::Tally(const HoldRecord& record, int by) {
  if (!IsLive(record.state) || IsLocal(record.order.fence)) return;
  live_ += by;
  if (record.state != HoldState::kHeld) return;
  held_ += by;
  size_t& of_user = held_by_[record.order.requester.user];
  of_user += by;
  if (of_user == 0) held_by_.erase(record.order.requester.user);
  if (by > 0) {
    held_holds_.insert(record.order.fence);
  } else {
    held_holds_.erase(record.order.fence);
  }
}

void Ledger::IndexClosed(const HoldRecord& record) {
  if (record.state != HoldState::kClosed) return;
  if (record.revision <= feed_.acknowledged()) {
    closed_acknowledged_.insert(record.order.fence);
  } else {
    closed_unacknowledged_.emplace(record.revision, record.order.fence);
  }
}

void Ledger::SetState(const Fence& fence, HoldState next) {
  HoldRecord& record = Edit(fence);
  MUSTER_CHECK(record.state != HoldState::kClosed);
  Tally(record, -1);
  record.state = next;
  Tally(record, 1);
  IndexClosed(record);
}

void Ledger::Append(const Fence& fence, decltype(schemas::Change::what) what) {
  appended_.push_back(feed_.Append(fence, std::move(what)));
  identity_due_ = true;
}

void Ledger::Report(const Fence& fence, decltype(schemas::Change::what) what) {
  HoldRecord& record = Edit(fence);
  if (IsLocal(fence)) return;
  closed_unacknowledged_.erase({record.revision, fence});
  closed_acknowledged_.erase(fence);
  Append(fence, std::move(what));
  record.revision = feed_.end().revision;
  IndexClosed(record);
}

void Ledger::Drain(schemas::NodeRecord node) {
  const std::string name = node.name;
  drained_.Edit(name) = std::move(node);
}
void Ledger::Resume(const std::string& node) { drained_.Erase(node); }
void Ledger::SetSize(const std::string& node, const ResourceSet& had) {
  sizes_.Edit(node) = {.name = node, .had = had};
}

void Ledger::KeepSteer(const schemas::Steered& result) {
  steers_.Edit(result.order).result = result;
  // Drops the lowest order id. Ids grow, so this order is the least likely to be repeated.
  if (steers_.all().size() > schemas::kSteersKept) steers_.Erase(steers_.all().begin()->first);
}
void Ledger::ReportSteered(schemas::Steered result) { Append({}, std::move(result)); }

uint64_t Ledger::NextLocal() {
  identity_due_ = true;
  return ++identity_.last_local;
}
schemas::LocalRecord& Ledger::EditLocal(uint64_t number) {
  schemas::LocalRecord& local = locals_.Edit(number);
  local.number = number;
  return local;
}
void Ledger::EraseLocal(uint64_t number) { locals_.Erase(number); }

size_t Ledger::HeldBy(const std::string& user) const {
  const auto it = held_by_.find(user);
  return it == held_by_.end() ? 0 : it->second;
}

std::vector<Fence> Ledger::HeldHolds() const { return {held_holds_.begin(), held_holds_.end()}; }

void Ledger::Acknowledge(Revision revision) {
  const Revision before = feed_.acknowledged();
  std::vector<Revision> dropped = feed_.Acknowledge(revision);
  if (feed_.acknowledged() == before) return;
  dropped_.insert(dropped_.end(), dropped.begin(), dropped.end());
  identity_due_ = true;
  while (!closed_unacknowledged_.empty() && closed_unacknowledged_.begin()->first <= revision) {
    closed_acknowledged_.insert(closed_unacknowledged_.begin()->second);
    closed_unacknowledged_.erase(closed_unacknowledged_.begin());
  }
}

std::vector<HoldRecord> Ledger::Collect(size_t limit) {
  std::vector<HoldRecord> collected;
  for (auto it = closed_acknowledged_.begin();
       it != closed_acknowledged_.end() && collected.size() < limit;) {
    const Fence fence = *it;
    if (!IsLocal(fence) && fence >= identity_.floor) break;
    // Keeps a local hold for the turn that closes it, so that readers of the store see it closed
    // once.
    if (IsLocal(fence) && dirty_.contains(fence)) {
      ++it;
      continue;
    }
    it = closed_acknowledged_.erase(it);
    auto node = holds_.extract(fence);
    MUSTER_CHECK(!node.empty());
    collected.push_back(std::move(node.mapped()));
    dirty_.erase(fence);
    deleted_.insert(fence);
  }
  return collected;
}

std::vector<schemas::Write<schemas::SiteRecord>> Ledger::TakeWrites() {
  std::vector<schemas::Write<Record>> writes;
  const bool others =
      drained_.due() || sizes_.due() || steers_.due() || locals_.due() || use_.due();
  if (!identity_due_ && dirty_.empty() && deleted_.empty() && !others) return writes;
  identity_.feed = feed_.end();
  identity_.acknowledged = feed_.acknowledged();
  // A deletion requires a durable floor, which makes a late creating order stale (G5).
  stored_identity_ = identity_;
  writes.push_back({kSiteKey, Record(identity_)});
  for (const Fence& fence : deleted_) writes.push_back({HoldKey(fence), std::nullopt});
  for (const Fence& fence : dirty_) writes.push_back({HoldKey(fence), Record(holds_.at(fence))});
  for (Revision revision : dropped_) writes.push_back({ChangeKey(revision), std::nullopt});
  for (schemas::ChangeRecord& change : appended_) {
    // A faulty meta acknowledged the change in the turn that made it: it is in dropped_ already.
    if (change.change.revision < feed_.acknowledged()) continue;
    const std::string key = ChangeKey(change.change.revision);
    writes.push_back({key, Record(std::move(change))});
  }
  drained_.TakeWrites(NodeKey, writes);
  sizes_.TakeWrites(SizeKey, writes);
  steers_.TakeWrites(SteerKey, writes);
  locals_.TakeWrites(LocalKey, writes);
  use_.TakeWrites(writes);
  identity_due_ = false;
  dirty_.clear();
  deleted_.clear();
  appended_.clear();
  dropped_.clear();
  return writes;
}

Digest Ledger::StateDigest() const {
  schemas::SiteIdentity identity = stored_identity_;
  identity.incarnation = {};
  schemas::CanonicalWriter writer;
  writer.Put(identity);
  Digest digest = schemas::Hash(writer.bytes());
  // Chained per record: a single buffer would hold all scripts at once.
  for (const auto& [fence, record] : holds_) digest = schemas::ChainDigest(digest, record);
  for (const auto& [name, record] : drained_.all()) digest = schemas::ChainDigest(digest, record);
  for (const auto& [name, record] : sizes_.all()) digest = schemas::ChainDigest(digest, record);
  for (const auto& [order, record] : steers_.all()) digest = schemas::ChainDigest(digest, record);
  for (const auto& [number, record] : locals_.all()) digest = schemas::ChainDigest(digest, record);
  for (const auto& [key, record] : use_.all()) digest = schemas::ChainDigest(digest, record);
  return digest;
}

}  // namespace muster::verifier
