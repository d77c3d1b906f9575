// The meta's copy of one site's holds, updated by the site's feed: it applies the next change,
// ignores older ones and detects gaps. protocol.md sections 0.4, 2 (report, resync), 7.5.
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

// Invariant: every hold that differs from the store is due for writing.
class Mirror {
 public:
  enum class Heard : uint8_t {
    kApplied,   // the changes that are new were applied, or none is new
    kGap,       // changes before the report are missing: resync from position()
    kDiverged,  // same revision but another digest: request a listing
  };
  struct Outcome {
    Heard heard = Heard::kApplied;
    std::vector<schemas::Change> applied;  // in order
  };

  Mirror() = default;
  explicit Mirror(std::string site) : site_(std::move(site)) {}
  // Loads records from the store without writing them again.
  void Restore(const schemas::FeedPosition& position) { position_ = position; }
  void Restore(schemas::MirrorRecord record);

  Outcome Apply(const schemas::Report& report);

  // Takes one page of a listing. Nothing changes before the last page. Then the listing replaces
  // position and holds; a live hold that it lacks is closed as dropped, `forgot`. Returns true
  // for the last page, and then adds to `changed` the fences whose holds differ from before.
  bool Take(const schemas::Listing& page, std::vector<Fence>& changed);

  const schemas::FeedPosition& position() const { return position_; }
  const std::map<Fence, schemas::MirrorRecord>& holds() const { return holds_; }
  // Number of holds received of a listing that is still incomplete.
  size_t pending() const { return pages_.size(); }
  const schemas::MirrorRecord* Find(const Fence& fence) const;
  // Closes a hold that its site no longer knows (`unknown`, or not listed) as dropped, cause
  // `forgot`. False if it was closed already or never known.
  bool Forgot(const Fence& fence);
  void Erase(const Fence& fence);

  // Whether the position has moved since the last call.
  bool TakeMoved() { return std::exchange(moved_, false); }
  // Appends the writes of holds that are due, in the order of fences, and clears them. `name` makes
  // the store's key; AnyRecord is MetaRecord.
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
  std::map<Fence, schemas::MirrorRecord> pages_;  // pages of an incomplete listing
  std::set<Fence> due_;
  bool moved_ = false;
};

// Converts a site's ledger record to the meta's mirror record.
schemas::MirrorRecord MirrorOf(const std::string& site, const schemas::HoldRecord& hold);

}  // namespace muster::verifier
