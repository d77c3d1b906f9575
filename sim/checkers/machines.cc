// Machines: judges processes, not bookings. The processes present at one time fit on their nodes,
// where one that is paused uses all but its cores, alone no more; an exclusive part is alone on its
// nodes; and drivers receive what is on record: place, time and notice of a start, an extension, a
// pause and its end, a new place of a malleable part. G2, OpenCCS Sect. 5.4.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sim/checkers/checker.h"
#include "sim/checkers/pauses.h"
#include "sim/checkers/token.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::PartDemand;
using schemas::PartRecord;

class Machines : public Checker {
 public:
  explicit Machines(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) {
      if (site.units.geometry) shaped_.insert(site.name);
      for (const site::Node& node : site.nodes) has_[{site.name, node.name}] = node.resources;
    }
  }
  std::string Name() const override { return "machines"; }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    std::erase_if(unrecorded_, [&](const auto& where) {
      if (where.first != site) return false;
      Violated(at, where.second + " is paused at " + site + ", which is not on record");
      return true;
    });
    std::erase_if(short_, [&](const auto& where) {
      if (where.first != site) return false;
      Violated(at, where.second + " at " + site + " may not go on for as long as is on record");
      return true;
    });
    // Resources that one part returned may go to another in the same batch, so the check follows
    // all writes.
    bool resized = false;
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr) continue;
      HoldRecord& known = holds_[{site, hold->order.fence}];
      resized = resized || ResizedIn(known, *hold);
      known = *hold;
    }
    if (resized) Look(at, site);
  }
  void OnDriverCommand(Moment at, const std::string& site,
                       const driver::Command& command) override {
    if (const auto* start = std::get_if<driver::StartPart>(&command)) Start(at, site, *start);
    if (const auto* limit = std::get_if<driver::LimitPart>(&command)) {
      const Found found = Find(site, limit->token);
      const Span on_record = found.part ? found.demand->duration - found.part->saved +
                                              found.place->slower + found.part->extended +
                                              PausedFor(found.paused())
                                        : Span{-1};
      if (limit->walltime > on_record) {
        Violated(at, limit->token + " at " + site + " may go on for " +
                         std::to_string(limit->walltime.seconds) + " s, which is not on record");
      }
      // If a turn gives two limits, the record already has the second; then the first may be
      // shorter.
      const std::pair key(site, limit->token);
      limit->walltime < on_record ? void(short_.insert(key)) : void(short_.erase(key));
    }
    if (const auto* pause = std::get_if<driver::PausePart>(&command)) {
      const Found found = Find(site, pause->token);
      paused_.insert({site, pause->token});
      // In its first turn a site repeats what was on record, and may let it go on or end it then.
      if (!found.part || !IsOffItsCores(*found.part, pause->token)) {
        unrecorded_.insert({site, pause->token});
      }
    }
    if (const auto* stop = std::get_if<driver::StopPart>(&command)) {
      unrecorded_.erase({site, stop->token});
    }
    if (const auto* resume = std::get_if<driver::ResumePart>(&command)) {
      const Found found = Find(site, resume->token);
      if (!found.part || IsOffItsCores(*found.part, resume->token)) {
        Violated(at, resume->token + " goes on at " + site + ", which is not on record");
      }
      paused_.erase({site, resume->token});
      unrecorded_.erase({site, resume->token});
      Look(at, site);
    }
    if (const auto* resize = std::get_if<driver::ResizePart>(&command)) {
      const Found found = Find(site, resize->token);
      if (!found.part || resize->place != found.part->place) {
        Violated(at, resize->token + " at " + site + " has a place that is not on record");
      }
    }
  }
  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override {
    running_.insert({site, token});
    Look(at, site);
  }
  void OnPartGone(Moment, const std::string& site, const std::string& token) override {
    running_.erase({site, token});
    paused_.erase({site, token});
  }

 private:
  struct Found {
    const HoldRecord* hold = nullptr;
    const PartDemand* demand = nullptr;
    const PartRecord* part = nullptr;
    const schemas::PartPlace* place = nullptr;  // of the life that has the token

    BootSpan paused() const {
      return part->loan && place == &part->loan->place ? part->loan->paused : part->paused;
    }
  };
  struct OnNode {
    ResourceSet sum;
    std::set<std::string> who;
    std::string alone;  // part that has the node exclusively; "": none
  };

  static bool ResizedIn(const HoldRecord& before, const HoldRecord& after) {
    for (size_t i = 0; i < before.parts.size() && i < after.parts.size(); ++i) {
      if (before.parts[i].counts != after.parts[i].counts) return true;
    }
    return false;
  }

  Found Find(const std::string& site, const std::string& token) const {
    const Token t = ReadToken(token);
    const auto it = holds_.find({site, t.fence});
    if (it == holds_.end()) return {};
    Found out{.hold = &it->second};
    for (size_t i = 0; i < out.hold->parts.size(); ++i) {
      if (out.hold->parts[i].index != t.part) continue;
      out.part = &out.hold->parts[i];
      const std::optional<schemas::Loan>& loan = out.part->loan;
      out.place = loan && loan->token == token ? &loan->place : &out.part->place;
      out.demand = &out.hold->order.parts[i];
    }
    return out;
  }

  // What is handed over of an exclusive part may block its own nodes, and no others.
  static bool SamePlace(schemas::PartPlace given, const schemas::PartPlace& recorded,
                        bool exclusive) {
    const auto is_its_own = [&](const std::string& node) {
      return std::any_of(recorded.chunks.begin(), recorded.chunks.end(),
                         [&](const auto& chunk) { return chunk.node == node; });
    };
    while (exclusive && given.chunks.size() > recorded.chunks.size() &&
           given.chunks.back().resources.empty() && is_its_own(given.chunks.back().node)) {
      given.chunks.pop_back();
    }
    return given == recorded;
  }

  void Start(Moment at, const std::string& site, const driver::StartPart& start) {
    const Found found = Find(site, start.token);
    const bool lent = found.part && found.part->loan && found.part->loan->token == start.token;
    if (!found.part || (found.part->token != start.token && !lent)) {
      return Violated(at, start.token + " is started at " + site + ", which is not on record");
    }
    const bool same = SamePlace(start.place, *found.place, found.demand->exclusive) &&
                      start.walltime == found.demand->duration - found.part->saved +
                                            found.place->slower + found.part->extended &&
                      start.notice == found.hold->order.notice;
    if (!same) {
      Violated(at, start.token + " is started at " + site +
                       " with another place, time or notice than is on record");
    }
  }

  // Checks all processes present now, by node.
  void Look(Moment at, const std::string& site) {
    std::map<std::string, OnNode> nodes;
    for (const auto& [where, token] : running_) {
      if (where != site) continue;
      const Found found = Find(site, token);
      if (!found.part) {
        Violated(at, token + " runs at " + site + ", which is not on record");
        continue;
      }
      // What was paused and is told to end has no cores either: its site waits for others there.
      const bool off = paused_.contains({site, token});
      for (const schemas::ChunkPlace& chunk : found.place->chunks) {
        OnNode& node = nodes[chunk.node];
        node.sum += UsedBy(chunk, off);
        node.who.insert(token);
        const bool alone = found.demand->exclusive || shaped_.contains(site);
        if (alone && !off) node.alone = token;
      }
    }
    for (const auto& [name, node] : nodes) {
      std::string who;
      for (const std::string& token : node.who) who += " " + token;
      if (!node.sum.FitsIn(has_[{site, name}])) {
        Violated(at, site + "/" + name + " runs " + ToText(node.sum) + ", more than it has:" + who);
      }
      if (!node.alone.empty() && node.who.size() > 1) {
        Violated(at, site + "/" + name + " is for " + node.alone + " alone, and there are" + who);
      }
    }
  }

  std::set<std::string> shaped_;  // sites where every part has whole nodes
  std::map<std::pair<std::string, std::string>, ResourceSet> has_;
  std::map<std::pair<std::string, Fence>, HoldRecord> holds_;
  std::set<std::pair<std::string, std::string>> running_;  // site, token
  std::set<std::pair<std::string, std::string>>
      paused_;  // of these, told to pause and not to go on
  // Of these, told to pause in this turn though the record does not say so.
  std::set<std::pair<std::string, std::string>> unrecorded_;
  // (site, token): the driver's limit is shorter than on record
  std::set<std::pair<std::string, std::string>> short_;
};

}  // namespace

std::unique_ptr<Checker> CheckMachines(const CheckedWorld& world) {
  return std::make_unique<Machines>(world);
}

}  // namespace muster::sim
