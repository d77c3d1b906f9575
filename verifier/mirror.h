// The meta's copy of one site's holds, kept by the site's feed: apply the next change, ignore older
// ones, ask for what is missing. protocol.md sections 0.4, 2 (report, resync), 7.5.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/meta_records.h"
#include "schemas/site_link.h"
#include "schemas/write.h"

namespace muster::verifier {

// Invariant: what differs from the store is due.
class Mirror {
 public:
  enum class Heard : uint8_t {
    kApplied,   // all of it, or nothing of it was new
    kGap,       // changes are missing before it: ask from position()
    kDiverged,  // same revision, other digest: ask for a listing
  };
  struct Outcome {
    Heard heard = Heard::kApplied;
    std::vector<schemas::Change> applied;  // in order
  };

  Mirror() = default;
  explicit Mirror(std::string site) : site_(std::move(site)) {}
  // A mirror from its records: not written again.
  void Restore(const schemas::FeedPosition& position) { position_ = position; }
  void Restore(schemas::MirrorRecord record);

  Outcome Apply(const schemas::Report& report);

  // One page of a listing. Nothing changes before the last page; then the listing wins: the
  // position is its position, holds are as it says, and what was alive here and is not in it closes
  // as dropped, `forgot`. Returns true when the last page was taken; `changed` then gets the fences
  // that differ from before.
  bool Take(const schemas::Listing& page, std::vector<Fence>& changed);

  const schemas::FeedPosition& position() const { return position_; }
  const std::map<Fence, schemas::MirrorRecord>& holds() const { return holds_; }
  // Holds of a listing that is still arriving.
  size_t pending() const { return pages_.size(); }
  const schemas::MirrorRecord* Find(const Fence& fence) const;
  // An order to a hold that had been prepared was answered `unknown`: it is dropped, cause
  // `forgot`. False if it was closed already or never known.
  bool Forgot(const Fence& fence);
  void Erase(const Fence& fence);

  // True once after the position has moved.
  bool TakeMoved() { return std::exchange(moved_, false); }
  // Appends what is to be written of holds since the last call, in the order of fences. `name`
  // gives the store's key; AnyRecord is MetaRecord.
  template <class Name, class AnyRecord>
  void TakeWrites(Name name, std::vector<schemas::Write<AnyRecord>>& to) {
    for (const Fence& fence : due_) {
      const schemas::MirrorRecord* hold = Find(fence);
      to.push_back({name(site_, fence), hold ? std::optional<AnyRecord>(*hold) : std::nullopt});
    }
    due_.clear();
  }

 private:
  void Apply(const schemas::Change& change);

  std::string site_;
  schemas::FeedPosition position_;
  std::map<Fence, schemas::MirrorRecord> holds_;
  std::map<Fence, schemas::MirrorRecord> pages_;  // of a listing that is arriving
  std::set<Fence> due_;
  bool moved_ = false;
};

// A site's ledger record as the meta keeps it.
schemas::MirrorRecord MirrorOf(const std::string& site, const schemas::HoldRecord& hold);

}  // namespace muster::verifier
