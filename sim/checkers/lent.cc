// Lent: room is lent under a contract that is on record, to whom the site lends, and not more often
// than the contract says. Nobody is killed before its protection is over, but for its own start,
// nor with less grace than it was told. Whoever is recalled for another shares a node with it that
// is due there, and for which the site recalls. The same where all room of a hold is lent. Only who
// agreed to it is paused, never under its protection, and for others; a pause is no recall, and
// what it keeps is in nobody's way. A part has one life at a time. protocol.md section 3.3, rows L1
// to L10; Maui Sect. IV.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/credentials.h"
#include "sim/checkers/checker.h"
#include "sim/checkers/pauses.h"
#include "sim/checkers/token.h"
#include "site/holds/hold_facts.h"
#include "site/planning/capabilities.h"
#include "site/policy/credentials.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::LoanState;
using schemas::PartRecord;
using schemas::PartState;

// Seconds by which a recall may come before it must: the look every 5 s, and rounded times.
constexpr Span kAhead{8};
// Seconds for which a daemon may take to see that somebody is due.
constexpr Span kWaits{3};

class Lent : public Checker {
 public:
  explicit Lent(const CheckedWorld& world) : world_(world) {
    for (const site::Options& site : world.sites) sites_[site.name].options = site;
  }
  std::string Name() const override { return "lent"; }

  void OnSiteWrites(Moment at, const std::string& name, const SiteWrites& writes) override {
    Site& site = sites_[name];
    const std::map<Fence, HoldRecord> before = site.holds;
    std::set<Fence> changed;
    for (const auto& write : writes) {
      if (write.key.starts_with(kNodeKeys)) {
        const std::string node = write.key.substr(kNodeKeys.size());
        write.value ? void(site.out.insert(node)) : void(site.out.erase(node));
      }
      const auto* hold = write.value ? std::get_if<HoldRecord>(&*write.value) : nullptr;
      if (hold == nullptr || hold->parts.empty()) continue;
      site.holds[hold->order.fence] = *hold;
      changed.insert(hold->order.fence);
    }
    for (const Fence& fence : changed) {
      const HoldRecord& hold = site.holds.at(fence);
      const auto was = before.find(fence);
      Look(at, name, site, was == before.end() ? nullptr : &was->second, hold);
      if (hold.state == HoldState::kClosed) site.holds.erase(fence);
    }
    InTheWay(at, name, site);
  }

  void OnCrash(Moment, const std::string& host) override {
    if (const auto site = sites_.find(host); site != sites_.end()) site->second.up = false;
  }
  void OnRestart(Moment at, const std::string& host) override {
    const auto site = sites_.find(host);
    if (site == sites_.end()) return;
    site->second.up = true;
    site->second.since = at;
  }

  void OnDriverCommand(Moment at, const std::string& name,
                       const driver::Command& command) override {
    const auto* stop = std::get_if<driver::StopPart>(&command);
    if (stop == nullptr) return;
    const Site& site = sites_[name];
    const HoldRecord* hold = nullptr;
    const PartRecord* part = Find(site, stop->token, &hold);
    if (part == nullptr || !IsRecalled(*part)) return;
    const bool released = hold->closed_as != schemas::ClosedAs::kNotClosed;
    if (released) return;
    const schemas::Contract& contract = *hold->order.contract;
    if (stop->grace < ToBootSpan(contract.grace)) {
      Violated(at, stop->token + " at " + name + " is recalled with less grace than it was told");
    }
    const bool timed_out = site.out.contains(PlaceOf(*part).chunks.front().node);
    const Moment killed{at.milliseconds + ToBootSpan(contract.grace).milliseconds};
    const Moment since = part->loan ? part->loan->since : part->only_lent->since;
    const Moment safe{since.milliseconds + ToBootSpan(contract.min_run).milliseconds};
    if (killed >= safe || timed_out || OwnStartIsNear(at, site, *hold)) return;
    Violated(at, stop->token + " at " + name + " may be killed before it had " +
                     std::to_string(contract.min_run.seconds) + " s");
  }

  void OnPartStarted(Moment at, const std::string& name, const std::string& token) override {
    const Token t = ReadToken(token);
    const std::string& other = lives_.try_emplace({name, t.fence, t.part}, token).first->second;
    if (other != token) Violated(at, token + " at " + name + " begins while " + other + " lives");
  }
  void OnPartGone(Moment, const std::string& name, const std::string& token) override {
    const Token t = ReadToken(token);
    lives_.erase({name, t.fence, t.part});
  }

 private:
  struct Site {
    site::Options options;
    std::map<Fence, HoldRecord> holds;  // that are not closed
    std::set<std::string> out;          // nodes out of use
    bool up = true;
    Moment since;  // of its last restart
  };

  static const PartRecord* Find(const Site& site, const std::string& token,
                                const HoldRecord** hold) {
    const auto it = site.holds.find(ReadToken(token).fence);
    if (it == site.holds.end()) return nullptr;
    *hold = &it->second;
    for (const PartRecord& part : it->second.parts) {
      if (part.loan && part.loan->token == token) return &part;
      if (part.only_lent && part.token == token) return &part;
    }
    return nullptr;
  }

  static bool IsRecalled(const PartRecord& part) {
    if (part.loan) return part.loan->state == LoanState::kRecalled;
    return part.only_lent && part.only_lent->recalled_at;
  }

  // Where it runs on lent room. REQUIRES: it has some.
  static const schemas::PartPlace& PlaceOf(const PartRecord& part) {
    return part.loan ? part.loan->place : part.place;
  }

  static bool OwnStartIsNear(Moment at, const Site& site, const HoldRecord& hold) {
    if (hold.order.only_lent) return false;
    const Span taken =
        hold.order.contract->grace + site.options.facts.turnover + site.options.facts.turnover;
    return hold.start <= at.Floor() + taken + kAhead;
  }

  void Look(Moment at, const std::string& name, const Site& site, const HoldRecord* before,
            const HoldRecord& hold) {
    const PartRecord& part = hold.parts.front();
    const PartRecord* was = before ? &before->parts.front() : nullptr;
    const std::string what = ToText(hold.order.fence) + " at " + name;
    const bool begins = part.loan && (!was || !was->loan || was->loan->token != part.loan->token);
    if (begins) Begins(at, what, site, was, hold);
    if (hold.order.only_lent) return LookAtOnlyLent(at, what, site, was, hold);
    if (!was || !was->loan) {
      if (was && part.recalls != was->recalls) Violated(at, what + " was recalled without a loan");
      return;
    }
    // Gone from its lent room, and neither kept there nor ended by itself.
    const bool returned = begins || (!part.loan && part.token != was->loan->token);
    if (part.recalls > was->recalls + (returned ? 1 : 0) || part.recalls < was->recalls) {
      Violated(at, what + " counts recalls that were none");
    }
    if (part.recalls > hold.order.contract->max_recalls) {
      Violated(at, what + " was recalled more often than its contract says");
    }
    const bool recalled = part.loan && part.loan->state == LoanState::kRecalled &&
                          was->loan->state != LoanState::kRecalled;
    if (recalled) Recalled(at, what, site, hold);
    const bool paused = part.loan && part.loan->state == LoanState::kPaused &&
                        was->loan->state != LoanState::kPaused;
    if (paused) Paused(at, what, site, *was, hold);
  }

  // It runs past its protection, under a contract for that, and somebody is due on its nodes.
  void Paused(Moment at, const std::string& what, const Site& site, const PartRecord& was,
              const HoldRecord& hold) {
    const schemas::Contract& contract = *hold.order.contract;
    if (contract.way != schemas::RecallWay::kSuspend || was.loan->state != LoanState::kRunning) {
      Violated(at, what + " is paused, which its contract does not say");
    }
    const Span from_word = contract.min_run - contract.grace;
    const Moment safe{was.loan->since.milliseconds + ToBootSpan(from_word).milliseconds};
    if (at < safe) Violated(at, what + " is paused under its protection");
    if (hold.parts.front().recalls != was.recalls) {
      Violated(at, what + " counts a pause as a recall");
    }
    Recalled(at, what, site, hold);
  }

  // All its room is lent: under a contract, by a site that lends to it, and it counts a recall only
  // if it was told to end for that.
  void LookAtOnlyLent(Moment at, const std::string& what, const Site& site, const PartRecord* was,
                      const HoldRecord& hold) {
    const PartRecord& part = hold.parts.front();
    if (!hold.order.contract || hold.order.members.size() > 1 || hold.parts.size() > 1 ||
        !part.only_lent || part.loan) {
      return Violated(at, what + " is to have lent room alone, and has none");
    }
    if (!was && !LendsTo(site, hold.order)) {
      Violated(at, what + " was lent room, and the site lends it none");
    }
    if (part.recalls > (IsRecalled(part) && part.state == PartState::kEnded ? 1u : 0u)) {
      Violated(at, what + " counts recalls that were none");
    }
    if (was && IsRecalled(part) && !IsRecalled(*was)) Recalled(at, what, site, hold);
  }

  static bool LendsTo(const Site& site, const schemas::HoldOrder& order) {
    return CoversOneOf(site.options.lends_to, site::CredentialsOf(order));
  }

  // Whether it runs on lent room, or is about to, and was not told to end.
  static bool MayGoOn(const HoldRecord& hold) {
    const PartRecord& part = hold.parts.front();
    if (part.loan) {
      const LoanState state = part.loan->state;
      return state == LoanState::kStarting || state == LoanState::kRunning ||
             state == LoanState::kPaused;
    }
    return part.only_lent && !part.only_lent->recalled_at &&
           (part.state == PartState::kStarting || part.state == PartState::kRunning);
  }

  // Nobody who is due waits for room that is lent and not recalled.
  void InTheWay(Moment at, const std::string& name, const Site& site) {
    if (!site.up) return;
    for (const auto& [fence, hold] : site.holds) {
      if (!MayGoOn(hold)) continue;
      const schemas::PartPlace place = HeldBy(hold.parts.front());
      for (const auto& [other, due] : site.holds) {
        if (other == fence || due.state != HoldState::kPermitted) continue;
        if (due.start > at.Floor() - kWaits || due.start < site.since.Ceiling()) continue;
        for (const PartRecord& part : due.parts) {
          const bool waits = part.state == PartState::kBooked || part.state == PartState::kReady;
          if (!waits || part.loan || !Crowds(site, part.place, place)) continue;
          Violated(
              at, ToText(other) + " at " + name + " is due where room is lent to " + ToText(fence));
        }
      }
    }
  }

  // What it keeps others from. REQUIRES: it has lent room.
  static schemas::PartPlace HeldBy(const PartRecord& part) {
    schemas::PartPlace held = PlaceOf(part);
    const bool off = part.loan && IsOffItsCores(part, part.loan->token);
    for (schemas::ChunkPlace& chunk : held.chunks) chunk.resources = UsedBy(chunk, off);
    return held;
  }

  // Whether both are on a node that has too little for them.
  static bool Crowds(const Site& site, const schemas::PartPlace& a, const schemas::PartPlace& b) {
    std::map<std::string, ResourceSet> sums;
    std::set<std::string> both;
    for (const schemas::ChunkPlace& chunk : a.chunks) sums[chunk.node] += chunk.resources;
    for (const schemas::ChunkPlace& chunk : b.chunks) {
      if (sums.contains(chunk.node)) both.insert(chunk.node);
      sums[chunk.node] += chunk.resources;
    }
    return std::any_of(site.options.nodes.begin(), site.options.nodes.end(), [&](const auto& node) {
      return both.contains(node.name) && !sums.at(node.name).FitsIn(node.resources);
    });
  }

  void Begins(Moment at, const std::string& what, const Site& site, const PartRecord* was,
              const HoldRecord& hold) {
    const PartRecord& part = hold.parts.front();
    const schemas::HoldOrder& order = hold.order;
    if (!order.contract) return Violated(at, what + " was lent room without a contract");
    if (!LendsTo(site, order)) {
      Violated(at, what + " was lent room, and the site lends it none");
    }
    if (hold.state != HoldState::kPermitted || order.members.size() > 1) {
      Violated(at, what + " was lent room without a permit of its own");
    }
    if (was && was->recalls >= order.contract->max_recalls) {
      Violated(at, what + " was lent room after its last recall");
    }
    if (part.state != PartState::kBooked && part.state != PartState::kReady) {
      Violated(at, what + " was lent room and runs for good");
    }
    if (at.Floor() < order.earliest) Violated(at, what + " was lent room before it may begin");
  }

  // There is one with a booking on one of its nodes that begins before the nodes could be had
  // later.
  void Recalled(Moment at, const std::string& what, const Site& site, const HoldRecord& hold) {
    const PartRecord& part = hold.parts.front();
    if (OwnStartIsNear(at, site, hold)) return;
    std::set<std::string> nodes;
    for (const schemas::ChunkPlace& chunk : PlaceOf(part).chunks) {
      if (site.out.contains(chunk.node)) return;
      nodes.insert(chunk.node);
    }
    // Limits, standing reservations and lent room of others may be in the way, too: only who is
    // named is looked at.
    const std::string& job = part.loan ? part.loan->recalled_for : part.only_lent->recalled_for;
    if (job.empty()) return;
    const Span turnover = site.options.facts.turnover;
    const Instant by = at.Floor() + hold.order.contract->grace + turnover + turnover + kAhead;
    // What was paused stays for longer than whoever waits for it could know.
    bool may = (part.loan && part.loan->paused > BootSpan{0}) || site::RecallsForAll(site.options);
    bool due = false;
    for (const auto& [fence, other] : site.holds) {
      if (fence == hold.order.fence || other.start > by || !IsOn(nodes, other)) continue;
      due = true;
      if (site::LabelOf(other.order) == job) may = may || MayRecall(site, other);
    }
    if (!due) Violated(at, what + " was recalled for job " + job + ", and nobody is due there");
    if (due && !may) Violated(at, what + " was recalled for job " + job + ", which has to wait");
  }

  static bool IsOn(const std::set<std::string>& nodes, const HoldRecord& hold) {
    return std::any_of(hold.parts.begin(), hold.parts.end(), [&](const PartRecord& part) {
      const std::vector<schemas::ChunkPlace>& chunks = part.place.chunks;
      return std::any_of(chunks.begin(), chunks.end(),
                         [&](const auto& chunk) { return nodes.contains(chunk.node); });
    });
  }

  // What has lost its place does not wait for lent work.
  static bool MayRecall(const Site& site, const HoldRecord& hold) {
    const schemas::CauseCode why = hold.cause.code;
    if (why != schemas::CauseCode::kNone && why != schemas::CauseCode::kBackfilled) return true;
    return CoversOneOf(site.options.rules.recalled_for, site::CredentialsOf(hold.order));
  }

  CheckedWorld world_;
  std::map<std::string, Site> sites_;
  std::map<std::tuple<std::string, Fence, uint32_t>, std::string> lives_;  // the token that runs
};

}  // namespace

std::unique_ptr<Checker> CheckLent(const CheckedWorld& world) {
  return std::make_unique<Lent>(world);
}

}  // namespace muster::sim
