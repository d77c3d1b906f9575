// Time-outs: if a start stays unconfirmed, or processes do not end, for longer than the site's
// limit, the site takes the node out of use, on record, unless its daemon is down. Once no part on
// it is starting or ending, a node does not stay down. OpenCCS Sect. 5.4 (time-outs on allocating
// and releasing).
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::PartState;

class TimeOuts : public Checker {
 public:
  explicit TimeOuts(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) sites_[site.name].options = site;
  }
  std::string Name() const override { return "time-outs"; }

  void OnSiteWrites(Moment at, const std::string& name, const SiteWrites& writes) override {
    Site& site = sites_[name];
    Late(at, name, site);  // what was due before this batch and is still missing is late
    std::set<std::string> set_down;
    for (const auto& write : writes) {
      if (!write.key.starts_with(kNodeKeys)) continue;
      const std::string node = write.key.substr(kNodeKeys.size());
      if (write.value) {
        site.out[node] = std::get<schemas::NodeRecord>(*write.value).who;
        set_down.insert(node);
      } else {
        site.out.erase(node);
      }
    }
    for (auto& [key, doubt] : site.doubts) doubt.seen |= set_down.contains(doubt.node);
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr || hold->order.reserves) continue;
      for (const auto& part : hold->parts) Look(at, site, *hold, part);
    }
  }
  void OnCrash(Moment, const std::string& host) override {
    if (const auto it = sites_.find(host); it != sites_.end()) it->second.up = false;
  }
  // A restarted daemon starts its time-outs anew.
  void OnRestart(Moment at, const std::string& host) override {
    const auto it = sites_.find(host);
    if (it == sites_.end()) return;
    it->second.up = true;
    for (auto& [key, doubt] : it->second.doubts) doubt.since = at;
  }
  void AtEnd(Moment at, bool calm) override {
    for (auto& [name, site] : sites_) {
      Late(at, name, site);
      if (!calm || !site.doubts.empty()) continue;
      for (const auto& [node, who] : site.out) {
        if (who == "site:" + name) Violated(at, name + "/" + node + " is down with nothing there");
      }
    }
  }

 private:
  struct Doubt {
    Moment since;
    PartState state = PartState::kStarting;
    std::string token;
    std::string node;
    Span grace;         // more than the site's limit
    bool seen = false;  // the node was taken out of use for it, or was out of use
  };
  struct Site {
    site::Options options;
    bool up = true;
    std::map<std::string, std::string> out;  // nodes out of use, and who took them out
    std::map<std::pair<Fence, uint32_t>, Doubt> doubts;
  };

  // A life on lent room is one like any other; who is recalled has its grace besides.
  void Look(Moment at, Site& site, const HoldRecord& hold, const schemas::PartRecord& part) {
    const std::pair key(hold.order.fence, part.index);
    PartState state = part.state;
    Span grace;
    if (part.loan) {
      using schemas::LoanState;
      const LoanState now = part.loan->state;
      const bool runs = now == LoanState::kRunning || now == LoanState::kPaused;
      state = now == LoanState::kStarting ? PartState::kStarting
              : runs                      ? PartState::kRunning
                                          : PartState::kEnding;
      if (now == LoanState::kRecalled) grace = hold.order.contract->grace;
    } else if (part.only_lent && part.only_lent->recalled_at) {
      grace = hold.order.contract->grace;
    }
    const schemas::PartPlace& place = part.loan ? part.loan->place : part.place;
    const std::string& token = part.loan ? part.loan->token : part.token;
    const bool changing = state == PartState::kStarting || state == PartState::kEnding;
    if (!changing || place.chunks.empty()) {
      site.doubts.erase(key);
      return;
    }
    Doubt& doubt = site.doubts[key];
    if (doubt.token == token && doubt.state == state && !doubt.node.empty()) return;
    doubt = {at, state, token, place.chunks.front().node, grace, false};
  }

  void Late(Moment at, const std::string& name, Site& site) {
    if (!site.up) return;
    for (auto& [key, doubt] : site.doubts) {
      const bool starting = doubt.state == PartState::kStarting;
      const Span limit = starting ? site.options.allocate_timeout + site.options.facts.start_ahead
                                  : site.options.release_timeout + doubt.grace;
      if (doubt.seen ||
          at.milliseconds <= doubt.since.milliseconds + limit.seconds * 1000 + kTurnMs) {
        continue;
      }
      doubt.seen = true;
      if (site.out.contains(doubt.node)) continue;
      Violated(at, name + "/" + doubt.node + " is in use, and " + doubt.token +
                       (starting ? " is starting since " : " is ending since ") +
                       std::to_string(doubt.since.milliseconds));
    }
  }

  std::map<std::string, Site> sites_;
};

}  // namespace

std::unique_ptr<Checker> CheckTimeOuts(const CheckedWorld& world) {
  return std::make_unique<TimeOuts>(world);
}

}  // namespace muster::sim
