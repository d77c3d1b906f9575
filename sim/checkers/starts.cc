// G1: no part of an attempt starts unless every member was durably prepared before the decision,
// the permit was durable before the start, and (n > 1) every member with a first part was durably
// ready before the permit. No part starts after the last start. After all deadlines either all
// members started or none, or the attempt is on record as a cancelled partial start.
#include <map>
#include <set>

#include "sim/checkers/checker.h"
#include "sim/checkers/token.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::AttemptState;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartState;

// Time after the last start by which a partial start is on record: D, settle and partner_wait (C11,
// protocol.md section 4).
constexpr Span kCounted{70};

struct AttemptSeen {
  std::vector<std::string> members;
  bool decided = false;
  bool permitted = false;
  bool partial = false;
  Instant last_start;
  std::set<std::string> started;
};

class Starts : public Checker {
 public:
  explicit Starts(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "G1"; }

  void OnSiteWrites(Moment, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr || hold->parts.empty()) continue;
      const auto key = std::pair(site, hold->order.fence);
      if (hold->state >= HoldState::kPrepared && hold->deadline) prepared_.insert(key);
      for (const auto& part : hold->order.parts)
        offsets_[{hold->order.fence, part.index}] = part.offset;
      bool ready = true;
      for (size_t i = 0; i < hold->parts.size(); ++i) {
        if (hold->order.parts[i].offset == Span{0} && hold->parts[i].state < PartState::kReady) {
          ready = false;
        }
      }
      if (ready) ready_.insert(key);
    }
  }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) Attempt(at, *attempt);
    }
  }

  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override {
    const Token t = ReadToken(token);
    if (t.fence.epoch == Epoch{0}) return;  // a local job
    const auto it = attempts_.find(t.fence);
    if (it == attempts_.end() || !it->second.permitted) {
      return Violated(at, token + " started at " + site + " without a durable permit");
    }
    const Instant latest = it->second.last_start + offsets_[{t.fence, t.part}];
    if (at.Floor() > latest) Violated(at, token + " started at " + site + " after its last start");
    it->second.started.insert(site);
  }

  void AtEnd(Moment at, bool calm) override {
    if (!calm) return;
    for (const auto& [fence, a] : attempts_) {
      if (world_.HasLiar(a.members)) continue;
      if (at.Floor() <= a.last_start + kCounted) continue;  // its parts may still be starting
      if (a.started.empty() || a.started.size() == a.members.size() || a.partial) continue;
      Violated(at, "attempt " + ToText(fence) + " started at " + std::to_string(a.started.size()) +
                       " of " + std::to_string(a.members.size()) +
                       " sites and is not counted as partial");
    }
  }

 private:
  void Attempt(Moment at, const AttemptRecord& record) {
    AttemptSeen& seen = attempts_[record.fence];
    seen.members = record.members;
    if (record.partial) seen.partial = true;
    if (!seen.decided && record.state != AttemptState::kAborting) {
      seen.decided = true;
      for (const std::string& member : record.members) {
        if (world_.liars.contains(member)) continue;
        if (prepared_.count({member, record.fence}) == 0) {
          Violated(at, "attempt " + ToText(record.fence) + " was decided before " + member +
                           " was prepared");
        }
      }
    }
    if (record.permit && !seen.permitted) {
      seen.permitted = true;
      for (const std::string& member : record.members) {
        if (world_.liars.contains(member)) continue;
        if (record.members.size() > 1 && ready_.count({member, record.fence}) == 0) {
          Violated(at, "attempt " + ToText(record.fence) + " was permitted before " + member +
                           " was ready");
        }
      }
    }
    if (record.permit) seen.last_start = record.permit->last_start;
  }

  CheckedWorld world_;
  std::map<Fence, AttemptSeen> attempts_;
  std::set<std::pair<std::string, Fence>> prepared_;
  std::set<std::pair<std::string, Fence>> ready_;
  std::map<std::pair<Fence, uint32_t>, Span> offsets_;
};

}  // namespace

std::unique_ptr<Checker> CheckStarts(const CheckedWorld& world) {
  return std::make_unique<Starts>(world);
}

}  // namespace muster::sim
