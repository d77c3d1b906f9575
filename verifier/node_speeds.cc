// Most sites have one speed: they are told apart first.
#include "verifier/node_speeds.h"

#include <algorithm>
#include <optional>

#include "base/text/node_set.h"

namespace muster::verifier {
namespace {

using schemas::Capacity;
using schemas::NodeClass;

bool CouldHostOne(const schemas::PartSpec& part, const NodeClass& node) {
  return std::any_of(part.chunks.begin(), part.chunks.end(), [&](const schemas::Chunk& chunk) {
    return chunk.resources.FitsIn(node.per_node) &&
           std::all_of(chunk.properties.begin(), chunk.properties.end(), [&](const auto& want) {
             const auto it = node.properties.find(want.first);
             // Of switches, classes tell nothing.
             if (it == node.properties.end()) return want.first == "switch" || want.first == "sw";
             return node.mixed || it->second == want.second;
           });
  });
}

// A tolerance takes values in that the set does not name.
bool MayBeOfSet(const std::optional<NodeSet>& set, const NodeClass& node) {
  if (!set || set->values.empty() || set->tolerance || node.mixed) return true;
  if (set->attribute == kSwitchAttribute) return true;
  std::string value;
  if (set->attribute == kSpeedAttribute) {
    value = text::SpeedText(node.speed.value_or(kFullSpeed));
  } else if (const auto it = node.properties.find(set->attribute); it != node.properties.end()) {
    value = it->second;
  }
  return std::find(set->values.begin(), set->values.end(), value) != set->values.end();
}

std::optional<NodeSet> SetOf(const schemas::PartSpec& part) {
  if (part.set.empty() || part.set == text::kAnyNodes) return std::nullopt;
  Diagnosed<NodeSet> read = text::ParseNodeSet(part.set);
  return read.ok() ? std::optional(*std::move(read)) : std::nullopt;
}

}  // namespace

NodeSpeeds SpeedsFor(const schemas::PartSpec& part, const Capacity& capacity) {
  const bool alike = std::none_of(capacity.classes.begin(), capacity.classes.end(),
                                  [](const NodeClass& node) { return node.speed.has_value(); });
  if (alike) return {};
  const std::optional<NodeSet> set = SetOf(part);
  std::optional<NodeSpeeds> out;
  for (const NodeClass& node : capacity.classes) {
    if (!CouldHostOne(part, node) || !MayBeOfSet(set, node)) continue;
    const int64_t least = std::clamp(node.speed.value_or(kFullSpeed), kLeastSpeed, kMostSpeed);
    // A mixed class states its slowest node only.
    const int64_t most = node.mixed ? kMostSpeed : least;
    if (!out) out = NodeSpeeds{least, most};
    out->least = std::min(out->least, least);
    out->most = std::max(out->most, most);
  }
  return out.value_or(NodeSpeeds{});
}

}  // namespace muster::verifier
