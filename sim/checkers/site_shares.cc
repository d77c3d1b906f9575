// Shares at a site: the use on record grows by what a part had, for everybody together, its user,
// its account and its groups, in the very batch in which its usage becomes final, and by nothing
// else. scheduling.md section 12.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::UseRecord;

class SiteSharesCheck : public Checker {
 public:
  explicit SiteSharesCheck(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) {
      if (site.fairshare) counts_.insert(site.name);
    }
  }
  std::string Name() const override { return "site shares"; }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    std::map<std::string, int64_t> grown;
    std::map<std::string, int64_t> expected;
    bool forgets = false;
    for (const auto& write : writes) {
      if (!write.value) {
        // A window that counts no more may have grown and been forgotten in one turn.
        if (write.key.starts_with("use/")) forgets = true;
        use_.erase({site, write.key});
      } else if (const auto* hold = std::get_if<HoldRecord>(&*write.value)) {
        Count(site, *hold, expected);
      } else if (const auto* use = std::get_if<UseRecord>(&*write.value)) {
        int64_t& before = use_[{site, write.key}];
        grown[use->who] += use->amount - before;
        before = use->amount;
      }
    }
    if (!counts_.contains(site)) expected.clear();
    if (forgets) return;
    for (const auto& [who, amount] : expected) grown[who] -= amount;
    for (const auto& [who, rest] : grown) {
      if (rest == 0) continue;
      Violated(at, "the use of " + who + " at " + site + " grew by " + std::to_string(rest) +
                       " processor-milliseconds more than what ended in this batch");
    }
  }

 private:
  using Part = std::tuple<std::string, Fence, uint32_t>;  // site, hold, number of the part

  // Processors placed, times the time that the part had.
  static int64_t AmountOf(const schemas::PartRecord& part) {
    int64_t processors = 0;
    for (const schemas::ChunkPlace& chunk : part.place.chunks) {
      processors += chunk.resources.Get("ncpus");
    }
    return processors * std::max<int64_t>(part.usage.elapsed.milliseconds, 0);
  }

  void Count(const std::string& site, const HoldRecord& hold,
             std::map<std::string, int64_t>& expected) {
    const schemas::HoldOrder& order = hold.order;
    for (const schemas::PartRecord& part : hold.parts) {
      if (!part.usage_final || !counted_.insert({site, order.fence, part.index}).second) continue;
      if (order.inside || !part.started_at || !part.ended_at) continue;
      std::set<std::string> sharers = {"*", order.requester.user};
      if (!order.account.empty()) sharers.insert("account " + order.account);
      for (const std::string& group : order.requester.groups) sharers.insert("@" + group);
      for (const std::string& who : sharers) expected[who] += AmountOf(part);
    }
  }

  std::set<std::string> counts_;  // sites with [fairshare]
  std::set<Part> counted_;
  std::map<std::pair<std::string, std::string>, int64_t> use_;  // by site and key
};

}  // namespace

std::unique_ptr<Checker> CheckSiteShares(const CheckedWorld& world) {
  return std::make_unique<SiteSharesCheck>(world);
}

}  // namespace muster::sim
