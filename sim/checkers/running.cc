// Running: a running part keeps its place and time except by orders on record: a requested
// extension, within the site's bound unless an operator asked for it, or another count of malleable
// sets between their least and most. OpenCCS Sect. 5.4 (run time) and 8 (malleable).
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::PartDemand;
using schemas::PartRecord;
using schemas::PartState;
using schemas::Steer;
using schemas::SteerVerb;

bool Runs(const PartRecord& part) {
  return part.state >= PartState::kStarting && part.state < PartState::kEnded;
}
std::vector<uint64_t> CountsOf(const PartRecord& part, const PartDemand& demand) {
  if (!part.counts.empty()) return part.counts;
  std::vector<uint64_t> counts;
  for (const schemas::Chunk& chunk : demand.chunks) counts.push_back(chunk.count);
  return counts;
}

// True if the chunk sets that exist before and after stay on their nodes.
bool KeepsItsSets(const PartRecord& before, const PartRecord& after, const PartDemand& demand) {
  const std::vector<uint64_t> had = CountsOf(before, demand);
  const std::vector<uint64_t> has = CountsOf(after, demand);
  if (had.size() != has.size()) return false;
  size_t from = 0;
  size_t to = 0;
  for (size_t c = 0; c < had.size(); ++c) {
    for (uint64_t n = 0; n < std::min(had[c], has[c]); ++n) {
      const bool there =
          from + n < before.place.chunks.size() && to + n < after.place.chunks.size();
      if (!there || before.place.chunks[from + n] != after.place.chunks[to + n]) return false;
    }
    from += had[c];
    to += has[c];
  }
  return from == before.place.chunks.size() && to == after.place.chunks.size();
}

class Running : public Checker {
 public:
  explicit Running(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) percent_[site.name] = site.extend_percent;
  }
  std::string Name() const override { return "running"; }

  void OnMetaWrites(Moment, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* order = std::get_if<schemas::SteerRecord>(&*write.value);
      if (order != nullptr) orders_[order->steer.order] = order->steer;
    }
  }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    std::vector<Steer> done;  // orders executed in this batch, in order
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* carried = std::get_if<schemas::SteerDoneRecord>(&*write.value);
      if (carried == nullptr || !carried->result.done) continue;
      const auto order = orders_.find(carried->result.order);
      if (order != orders_.end()) done.push_back(order->second);
    }
    std::sort(done.begin(), done.end(),
              [](const Steer& a, const Steer& b) { return a.order < b.order; });
    AlteredAlone(site, writes);
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr) continue;
      HoldRecord& known = holds_[{site, hold->order.fence}];
      for (size_t i = 0; i < known.parts.size() && i < hold->parts.size(); ++i) {
        Look(at, site, *hold, known.parts[i], hold->parts[i], hold->order.parts[i], done);
      }
      known = *hold;
    }
  }

 private:
  // Collects the local jobs whose records show a new alteration in this batch.
  void AlteredAlone(const std::string& site, const SiteWrites& writes) {
    altered_.clear();
    for (const auto& write : writes) {
      const auto* job = write.value ? std::get_if<schemas::LocalRecord>(&*write.value) : nullptr;
      if (job == nullptr) continue;
      const auto told = std::count_if(job->events.begin(), job->events.end(),
                                      [](const auto& event) { return event.code == "altered"; });
      int64_t& before = told_[{site, job->number}];
      if (told > before) altered_.insert(job->number);
      before = told;
    }
  }

  // Treats the owner's alteration of a local job like an order on record.
  void AddOwnersWord(const HoldRecord& hold, const PartRecord& before, const PartRecord& after,
                     std::vector<Steer>& orders) const {
    const bool local = hold.order.fence.epoch == Epoch{0};
    if (!local || !altered_.contains(hold.order.request.value)) return;
    const Span longer = after.extended - before.extended;
    if (longer > Span{0}) orders.push_back({.verb = SteerVerb::kExtend, .span = longer});
    orders.push_back({.verb = SteerVerb::kResize, .counts = after.counts});
  }

  void Look(Moment at, const std::string& site, const HoldRecord& hold, const PartRecord& before,
            const PartRecord& after, const PartDemand& demand, const std::vector<Steer>& done) {
    std::vector<Steer> orders;
    for (const Steer& order : done) {
      if (order.fence == hold.order.fence && order.part == after.index) orders.push_back(order);
    }
    AddOwnersWord(hold, before, after, orders);
    const std::string name =
        ToText(hold.order.fence) + "." + std::to_string(after.index) + " at " + site;
    Extension(at, site, name, before, after, demand, orders);
    if (after.counts != before.counts) Counts(at, name, after, demand, orders);
    const bool runs = Runs(before) && before.token == after.token &&
                      (Runs(after) || after.state == PartState::kEnded);
    if (runs && before.place != after.place && !KeepsItsSets(before, after, demand)) {
      Violated(at, name + " runs and was put elsewhere");
    }
  }

  void Extension(Moment at, const std::string& site, const std::string& name,
                 const PartRecord& before, const PartRecord& after, const PartDemand& demand,
                 const std::vector<Steer>& orders) {
    Span extended = before.extended;
    for (const Steer& order : orders) {
      if (order.verb != SteerVerb::kExtend) continue;
      extended = extended + order.span;
      const int64_t most = demand.duration.seconds * percent_[site] / 100;
      if (order.who.starts_with("operator:") || extended.seconds <= most) continue;
      Violated(at, name + " goes on for " + std::to_string(extended.seconds) +
                       " s more; its user may have " + std::to_string(most) + " s");
    }
    if (after.extended == extended) return;
    Violated(at, name + " goes on for " + std::to_string(after.extended.seconds) +
                     " s more, and orders on record say " + std::to_string(extended.seconds) +
                     " s");
  }

  void Counts(Moment at, const std::string& name, const PartRecord& after, const PartDemand& demand,
              const std::vector<Steer>& orders) {
    const bool ordered = std::any_of(orders.begin(), orders.end(), [&](const Steer& order) {
      return order.verb == SteerVerb::kResize && order.counts == after.counts;
    });
    if (!ordered) Violated(at, name + " was resized without an order");
    for (size_t c = 0; c < demand.chunks.size() && c < after.counts.size(); ++c) {
      const schemas::Chunk& chunk = demand.chunks[c];
      const bool rigid = chunk.most == 0;
      const uint64_t least = rigid ? chunk.count : chunk.least;
      const uint64_t most = rigid ? chunk.count : chunk.most;
      if (after.counts[c] >= least && after.counts[c] <= most) continue;
      Violated(at, name + " has " + std::to_string(after.counts[c]) + " sets of a chunk, not " +
                       std::to_string(least) + " to " + std::to_string(most));
    }
  }

  std::map<std::string, int> percent_;
  std::map<uint64_t, Steer> orders_;
  std::map<std::pair<std::string, Fence>, HoldRecord> holds_;
  // alterations seen so far, by local job
  std::map<std::pair<std::string, uint64_t>, int64_t> told_;
  std::set<uint64_t> altered_;  // local jobs altered in this batch
};

}  // namespace

std::unique_ptr<Checker> CheckRunning(const CheckedWorld& world) {
  return std::make_unique<Running>(world);
}

}  // namespace muster::sim
