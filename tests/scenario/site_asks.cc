// What the meta asks of a site, for itself or for operators. See site_world.h.
#include <gtest/gtest.h>

#include "tests/scenario/site_world.h"

namespace muster::scenario {

schemas::ProposalEntry SiteWorld::EntryOf(const Command& c) const {
  schemas::ProposalEntry entry{.parts = PartsOf(c), .user = c.Get("user", "kim")};
  entry.asked = InstantOf(c.Get("asked", std::to_string(now_ms_ / 1000)));
  entry.allowed = IntervalSet::From(entry.asked);
  return entry;
}

SiteWorld::Lines SiteWorld::Propose(const Command& c) {
  schemas::Propose propose{.proposal = {uint64_t(c.Number("number", 1))}};
  if (c.Has("continues")) propose.continues = ProposalId{uint64_t(c.Number("continues", 0))};
  propose.tentative = c.Has("tentative");
  for (int64_t i = 0; i < c.Number("entries", 1); ++i) propose.entries.push_back(EntryOf(c));
  return Meta(propose, c);
}

SiteWorld::Lines SiteWorld::Inspect(const Command& c) {
  using schemas::InspectKind;
  const std::map<std::string, InspectKind> kinds = {
      {"bookings", InspectKind::kBookings}, {"output", InspectKind::kOutput},
      {"nodes", InspectKind::kNodes},       {"slots", InspectKind::kSlots},
      {"explain", InspectKind::kExplain},   {"order", InspectKind::kOrder},
      {"ranks", InspectKind::kRanks},       {"shares", InspectKind::kShares}};
  schemas::Inspect inspect{.inspection = 1, .kind = kinds.at(c.Argument(0))};
  if (inspect.kind == InspectKind::kOutput) {
    inspect.request = {42};
    inspect.part = 1;
  }
  if (c.Has("of")) inspect.fence = FenceOf(c.Get("of", ""));
  if (inspect.kind == InspectKind::kSlots || inspect.kind == InspectKind::kExplain) {
    inspect.entry = EntryOf(c);
    inspect.until = InstantOf(c.Get("until", "86400"));
  }
  return Meta(inspect, c);
}

SiteWorld::Lines SiteWorld::Steer(const Command& c) {
  if (c.name == "extend" || c.name == "resize") {
    schemas::Steer steer{
        .order = uint64_t(c.Number("order", 1)),
        .who = c.Get("who", "user:kim"),
        .verb = c.name == "extend" ? schemas::SteerVerb::kExtend : schemas::SteerVerb::kResize,
        .fence = FenceOf(c.Argument(0)),
        .part = uint32_t(c.Number("part", 1)),
        .span = {c.Number("by", 0)}};
    for (const std::string& count : Split(c.Get("to", ""), '+')) {
      steer.counts.push_back(uint64_t(ToNumber(count)));
    }
    return Meta(steer, c);
  }
  return Meta(schemas::Steer{.order = uint64_t(c.Number("order", 1)),
                             .who = "user:ana",
                             .verb = c.name == "drain" ? schemas::SteerVerb::kDrain
                                                       : schemas::SteerVerb::kResume,
                             .nodes = Split(c.Argument(0), ','),
                             .hard = c.Has("hard"),
                             .reason = c.Get("reason", "fan")},
              c);
}

}  // namespace muster::scenario
