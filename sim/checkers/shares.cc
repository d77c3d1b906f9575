// Shares: the use on record grows by what ended parts had, for everybody together and for each
// user, in the very batch that marks the part as counted, once per part; and so does what sites
// gave users of other homes, and what users took from other sites. In the end every part that ran
// is counted. scheduling.md sections 12 and 16.
#include <algorithm>
#include <map>
#include <set>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::HoldRecord;
using schemas::UseRecord;

class SharesCheck : public Checker {
 public:
  explicit SharesCheck(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "shares"; }

  void OnSiteWrites(Moment, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr) continue;
      for (const schemas::PartRecord& part : hold->parts) {
        if (!part.usage_final || !part.started_at || !part.ended_at) continue;
        had_[{site, hold->order.fence, part.index}] = AmountOf(part);
      }
    }
  }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    std::map<std::string, int64_t> expected;
    just_counted_.clear();
    std::map<std::string, int64_t> grown;
    bool unjudged = false;
    for (const auto& write : writes) {
      if (!write.value) {
        // A window that counts no more may have grown and been forgotten in one turn.
        if (write.key.starts_with("use/")) unjudged = true;
        use_.erase(write.key);
        if (attempts_.contains(write.key)) Erased(attempts_.at(write.key), unjudged);
      } else if (const auto* request = std::get_if<schemas::RequestRecord>(&*write.value)) {
        user_[request->id] = request->requester.user;
        if (world_.counts_use) {
          sharers_[request->id] = {kAll, request->requester.user};
          if (!request->spec.account.empty()) {
            sharers_[request->id].insert("account " + request->spec.account);
          }
        }
        if (request->spec.inside) inside_.insert(request->id);
      } else if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
        attempts_[write.key] = attempt->fence;
        Count(at, *attempt, expected, unjudged);
      } else if (const auto* use = std::get_if<UseRecord>(&*write.value)) {
        int64_t& before = use_[write.key];
        const bool judged = use->who == kAll || !use->who.starts_with('@');
        if (judged) grown[use->who] += use->amount - before;
        before = use->amount;
      }
    }
    if (unjudged) return;
    for (const auto& [who, amount] : expected) grown[who] -= amount;
    for (const auto& [who, rest] : grown) {
      if (rest == 0) continue;
      Violated(at, "the use of " + who + " grew by " + std::to_string(rest) +
                       " processor-milliseconds more than what is counted:" + just_counted_);
    }
  }

  void AtEnd(Moment at, bool calm) override {
    if (!calm || !world_.counts_use) return;
    for (const auto& [part, amount] : had_) {
      const auto& [site, fence, index] = part;
      const auto counted = counted_.find(fence);
      if (world_.liars.contains(site) || counted == counted_.end()) continue;
      if (!counted->second.contains(index)) {
        Violated(at, "part " + std::to_string(index) + " of " + ToText(fence) + " at " + site +
                         " ran and was never counted");
      }
    }
  }

 private:
  static constexpr char kAll[] = "*";
  using Part = std::tuple<std::string, Fence, uint64_t>;  // site, attempt, number of the part

  // Processors placed, times the time that the part had, at most as long as it was there.
  static int64_t AmountOf(const schemas::PartRecord& part) {
    int64_t processors = 0;
    for (const schemas::ChunkPlace& chunk : part.place.chunks) {
      processors += chunk.resources.Get("ncpus");
    }
    const int64_t there = part.ended_at->milliseconds - part.started_at->milliseconds;
    return processors *
           std::clamp<int64_t>(part.usage.elapsed.milliseconds, 0, std::max<int64_t>(there, 0));
  }

  // `unjudged`: set if a lying site tells what a part had.
  void Count(Moment at, const AttemptRecord& attempt, std::map<std::string, int64_t>& expected,
             bool& unjudged) {
    std::set<uint64_t>& known = counted_[attempt.fence];
    const std::set<uint64_t> now(attempt.counted.begin(), attempt.counted.end());
    const bool kept = std::includes(now.begin(), now.end(), known.begin(), known.end());
    if (now.size() != attempt.counted.size() || !kept) {
      Violated(at,
               "the counted parts of " + ToText(attempt.fence) + " are not those before and more");
    }
    for (const uint64_t part : now) {
      if (known.contains(part) || part == 0 || part > attempt.part_sites.size()) continue;
      const std::string& site = attempt.part_sites[part - 1];
      if (world_.liars.contains(site)) {
        unjudged = true;
        continue;
      }
      const auto had = had_.find({site, attempt.fence, part});
      // It never started, or its reservation counts.
      if (had == had_.end() || inside_.contains(attempt.request)) continue;
      just_counted_ +=
          " " + ToText(attempt.fence) + " at " + site + " had " + std::to_string(had->second);
      for (const std::string& who : sharers_[attempt.request]) expected[who] += had->second;
      const auto home = world_.homes.find(user_[attempt.request]);
      if (home == world_.homes.end() || home->second == site) continue;
      expected["site " + site + " gave"] += had->second;
      expected["site " + home->second + " took"] += had->second;
    }
    known = now;
  }

  // An attempt that leaves the record may take parts with it that were counted in this batch: the
  // batch is not judged, and they count as counted.
  void Erased(const Fence& fence, bool& unjudged) {
    std::set<uint64_t>& counted = counted_[fence];
    for (const auto& [part, amount] : had_) {
      const auto& [site, of, index] = part;
      if (of == fence && counted.insert(index).second) unjudged = true;
    }
  }

  CheckedWorld world_;
  std::map<Part, int64_t> had_;
  std::map<std::string, Fence> attempts_;  // by key
  std::set<RequestId> inside_;
  std::map<RequestId, std::string> user_;
  std::map<RequestId, std::set<std::string>> sharers_;  // everybody, its user, its account
  std::map<Fence, std::set<uint64_t>> counted_;
  std::map<std::string, int64_t> use_;  // by key
  std::string just_counted_;            // parts of this batch, for people
};

}  // namespace

std::unique_ptr<Checker> CheckShares(const CheckedWorld& world) {
  return std::make_unique<SharesCheck>(world);
}

}  // namespace muster::sim
