// Altered: bookings match requests. Whenever the meta writes a request that has a place, the holds
// of that place ask for what the request asks for: chunks, time, placement. A site of another speed
// is asked for a correspondingly scaled time. A running part may have more time or other counts, as
// its site reports. protocol.md section 0.3.
#include <map>
#include <string>
#include <utility>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::AttemptState;
using schemas::HoldRecord;
using schemas::PartDemand;
using schemas::RequestRecord;
using schemas::RequestState;

bool Binds(const AttemptRecord& attempt) {
  return attempt.state >= AttemptState::kDecided && attempt.state <= AttemptState::kRunning;
}

class Altered : public Checker {
 public:
  explicit Altered(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "altered"; }

  void OnSiteWrites(Moment, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold != nullptr && !hold->parts.empty()) holds_[{site, hold->order.fence}] = *hold;
    }
  }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* attempt = std::get_if<AttemptRecord>(&*write.value);
      if (attempt != nullptr) attempts_[attempt->fence] = *attempt;
    }
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* request = std::get_if<RequestRecord>(&*write.value);
      if (request != nullptr && request->attempt) Look(at, *request);
    }
  }

 private:
  void Look(Moment at, const RequestRecord& request) {
    const bool placed = request.state == RequestState::kPromised ||
                        request.state == RequestState::kStarting ||
                        request.state == RequestState::kRunning;
    const auto attempt = attempts_.find(*request.attempt);
    if (!placed || attempt == attempts_.end() || !Binds(attempt->second)) return;
    const std::vector<std::string>& sites = attempt->second.part_sites;
    for (size_t p = 0; p < request.spec.parts.size() && p < sites.size(); ++p) {
      const auto hold = holds_.find({sites[p], *request.attempt});
      if (hold == holds_.end() || world_.liars.contains(sites[p])) continue;
      for (size_t i = 0; i < hold->second.order.parts.size(); ++i) {
        const PartDemand& demand = hold->second.order.parts[i];
        if (demand.index != p + 1) continue;
        const std::string what =
            Difference(LengthAt(request.spec, sites[p]), request.spec.parts[p], demand,
                       hold->second.parts[i], request.state != RequestState::kPromised);
        if (what.empty()) continue;
        Violated(at, "request " + ToText(request.id) + " has another " + what + " than " +
                         ToText(*request.attempt) + " has at " + sites[p]);
      }
    }
  }

  Span LengthAt(const schemas::RequestSpec& spec, const std::string& site) const {
    const auto speed = world_.speeds.find(site);
    if (speed == world_.speeds.end() || spec.reserves) return spec.duration;
    int64_t seconds = spec.duration.seconds * 1000 / speed->second;
    if (seconds * speed->second < spec.duration.seconds * 1000) ++seconds;
    return {seconds};
  }

  static std::string Difference(Span length, const schemas::PartSpec& part,
                                const PartDemand& demand, const schemas::PartRecord& booked,
                                bool running) {
    // All parts share the request's duration. While the request runs, its duration follows that of
    // the first part, so the other parts may be booked for less.
    const bool may_differ = running && demand.index > 1;
    if (length < demand.duration) return "duration";
    if (!may_differ && length > demand.duration + booked.extended) return "duration";
    if (part.place != demand.place || part.exclusive != demand.exclusive) return "placement";
    if (part.jobwide != demand.jobwide || part.set != demand.set) return "demand";
    if (part.chunks.size() != demand.chunks.size()) return "number of chunks";
    for (size_t c = 0; c < part.chunks.size(); ++c) {
      const schemas::Chunk& wanted = part.chunks[c];
      const schemas::Chunk& has = demand.chunks[c];
      if (wanted.resources != has.resources || wanted.properties != has.properties) return "chunk";
      const bool resized = !booked.counts.empty();
      const bool within = wanted.count >= has.least && wanted.count <= has.most;
      if (resized ? !within && wanted.count != has.count : wanted.count != has.count) {
        return "count";
      }
    }
    return "";
  }

  CheckedWorld world_;
  std::map<std::pair<std::string, Fence>, HoldRecord> holds_;
  std::map<Fence, AttemptRecord> attempts_;
};

}  // namespace

std::unique_ptr<Checker> CheckAltered(const CheckedWorld& world) {
  return std::make_unique<Altered>(world);
}

}  // namespace muster::sim
