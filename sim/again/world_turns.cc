// The options come from the world, since its daemons have no configuration files.
#include "sim/again/world_turns.h"

namespace muster::sim {

TurnsOfWorld::TurnsOfWorld(const WorldOptions& options) {
  options_.meta = [meta = options.meta](const schemas::CoreOrigin&) { return meta; };
  options_.reread = [](const schemas::CoreOrigin&,
                       const std::string&) -> absl::StatusOr<meta::Options> {
    return InvalidArgument("no meta of a world reads its configuration again");
  };
  options_.site =
      [sites = options.sites](const schemas::CoreOrigin& origin) -> absl::StatusOr<site::Options> {
    for (const site::Options& site : sites) {
      if (site.name == origin.path) return site;
    }
    return NotFound("no site " + origin.path);
  };
}

std::function<void(const std::string& host, std::string_view frame)> TurnsOfWorld::Recorder() {
  return [this](const std::string& host, std::string_view frame) {
    frames_[host].emplace_back(frame);
  };
}

std::vector<std::string> TurnsOfWorld::Differences() const {
  std::vector<std::string> out;
  for (const auto& [host, frames] : frames_) {
    const absl::StatusOr<AgainResult> again = TakeAgain(frames, options_);
    if (!again.ok()) {
      out.push_back("recorded turns of " + host + ": " + std::string(Text(again.status())));
    } else if (!again->difference.empty()) {
      out.push_back("recorded turns of " + host + ": " + again->difference);
    }
  }
  return out;
}

}  // namespace muster::sim
