// A site's durable state: holds, feed, identity and other records, as the store has them after each
// turn's batch. protocol.md sections 1, 3.1, 7.6; Load rebuilds it from the store.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/status.h"
#include "schemas/kept.h"
#include "schemas/site_records.h"
#include "schemas/write.h"
#include "verifier/feed.h"
#include "verifier/use_book.h"

namespace muster::verifier {

// Keys of the store. Numbers have 16 hex digits, so that key order equals numeric order.
inline constexpr char kSiteKey[] = "site";
std::string HoldKey(const Fence& fence);
std::string ChangeKey(Revision revision);
std::string NodeKey(const std::string& name);
std::string SteerKey(uint64_t order);
std::string LocalKey(uint64_t number);
std::string SizeKey(const std::string& node);

// Whether the hold belongs to a job submitted at the site itself. Such holds appear in no feed and
// no listing, and are deleted without an acknowledgement. protocol.md section 3.1.
inline bool IsLocal(const Fence& fence) { return fence.epoch.value == 0; }

// Value type. Collects changes until TakeWrites returns them as the batch of the turn.
class Ledger {
 public:
  using Record = schemas::SiteRecord;

  // Rebuilds a ledger from all records of its store (no records: a new site). Errors: a store of
  // another federation or site, a record that does not match its key, a gap in the kept changes.
  static absl::StatusOr<Ledger> Load(const std::string& federation, const std::string& site,
                                     std::vector<std::pair<std::string, Record>> records);

  // --- identity
  const schemas::SiteIdentity& identity() const { return identity_; }
  void CountIncarnation();
  void SetFederation(const std::string& name);  // REQUIRES: no federation is known yet
  void SetEpoch(Epoch epoch);
  void SetValues(const schemas::ProtocolValues& values);
  void RaiseFloor(const Fence& floor);  // written together with the next other write

  // --- holds
  const std::map<Fence, schemas::HoldRecord>& holds() const { return holds_; }
  const schemas::HoldRecord* Find(const Fence& fence) const;
  // Holds that changed since the last TakeWrites.
  const std::set<Fence>& changed() const { return dirty_; }
  // Adds a record in state kNone, for SetState to move on. REQUIRES: no such fence.
  schemas::HoldRecord& Create(const Fence& fence);
  // Returns the record for changes, and schedules its write for this turn. Never change `state`
  // or `revision` this way, nor `closed_as` once the hold is closed. REQUIRES: the fence is known.
  schemas::HoldRecord& Edit(const Fence& fence);
  // Sets the state of a hold. REQUIRES: the fence is known and the hold not kClosed.
  void SetState(const Fence& fence, schemas::HoldState next);
  // Appends a change of this hold to the feed; if IsLocal(fence), only writes the record. REQUIRES:
  // the fence is known.
  void Report(const Fence& fence, decltype(schemas::Change::what) what);

  // --- orders of operators (steer)
  const std::map<std::string, schemas::NodeRecord>& drained() const { return drained_.all(); }
  void Drain(schemas::NodeRecord node);
  void Resume(const std::string& node);
  // The result of an order that was done or refused; null if it is not among the last kSteersKept.
  const schemas::SteerDoneRecord* FindSteer(uint64_t order) const { return steers_.Find(order); }
  void KeepSteer(const schemas::Steered& result);
  // Appends a change without a hold to the feed.
  void ReportSteered(schemas::Steered result);

  // --- the most resources each node ever had
  const std::map<std::string, schemas::SizeRecord>& sizes() const { return sizes_.all(); }
  void SetSize(const std::string& node, const ResourceSet& had);
  void ForgetSize(const std::string& node) { sizes_.Erase(node); }

  // --- jobs submitted at the site itself; their holds are above
  const std::map<uint64_t, schemas::LocalRecord>& locals() const { return locals_.all(); }
  uint64_t NextLocal();  // a number never returned before
  // Returns the record of this number, creating it if missing, and schedules its write.
  schemas::LocalRecord& EditLocal(uint64_t number);
  void EraseLocal(uint64_t number);

  // --- what ended parts used here
  const UseBook& use() const { return use_; }
  UseBook& EditUse() { return use_; }

  // Numbers of live and of HELD holds of the meta, without local ones.
  size_t live() const { return live_; }
  size_t held() const { return held_; }
  size_t HeldBy(const std::string& user) const;
  // The HELD holds, which a higher epoch closes (H8).
  std::vector<Fence> HeldHolds() const;

  // --- feed and garbage (section 7.6)
  const Feed& feed() const { return feed_; }
  void Acknowledge(Revision revision);
  // Deletes CLOSED holds whose close the meta has stored durably and whose fence is below the
  // floor, and CLOSED local holds whose close was written in an earlier turn. Deletes at most
  // `limit` and returns them.
  std::vector<schemas::HoldRecord> Collect(size_t limit);

  // The batch of this turn: the identity first, and each kind of record in key order. Empty if
  // nothing changed.
  std::vector<schemas::Write<Record>> TakeWrites();

  // Digest of what the store holds after the batch of TakeWrites, without the incarnation (G7). The
  // feed position stands for the changes.
  Digest StateDigest() const;

 private:
  void Tally(const schemas::HoldRecord& record, int by);
  void IndexClosed(const schemas::HoldRecord& record);
  void Append(const Fence& fence, decltype(schemas::Change::what) what);
  absl::Status Restore(const std::string& key, Record record);
  absl::Status RestoreHold(const std::string& key, schemas::HoldRecord hold);

  schemas::SiteIdentity identity_;
  schemas::SiteIdentity stored_identity_;
  bool identity_due_ = false;
  std::map<Fence, schemas::HoldRecord> holds_;
  Feed feed_;
  schemas::Kept<std::string, schemas::NodeRecord> drained_;
  schemas::Kept<std::string, schemas::SizeRecord> sizes_;
  schemas::Kept<uint64_t, schemas::SteerDoneRecord> steers_;
  schemas::Kept<uint64_t, schemas::LocalRecord> locals_;
  UseBook use_;
  size_t live_ = 0;
  size_t held_ = 0;
  std::map<std::string, size_t> held_by_;
  std::set<Fence> held_holds_;
  std::set<std::pair<Revision, Fence>> closed_unacknowledged_;
  std::set<Fence> closed_acknowledged_;
  // Changed in this turn, due for TakeWrites.
  std::set<Fence> dirty_;
  std::set<Fence> deleted_;
  std::vector<schemas::ChangeRecord> appended_;
  std::vector<Revision> dropped_;
};

}  // namespace muster::verifier
