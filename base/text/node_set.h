// Parses and prints node sets as users and sites write them: "speed~10%:oneof",
// "rack=8,9:firstof:wait=15m", "switch". Maui Sect. IV (node sets), cli.md section 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/node_set.h"

namespace muster::text {

inline constexpr size_t kLongestSet = 255;  // bytes of a set's text
// In place of a set: any nodes, although the site would choose a set for those that name none.
inline constexpr char kAnyNodes[] = "none";

//   SET     ATTRIBUTE ["=" VALUE {"," VALUE}] ["~" NUMBER ["%"]] ":" CHOICE [":best"]
//           [":wait=" DURATION]
//   CHOICE  oneof, anyof or firstof
//
// "switch" alone is "switch:oneof". The attribute is "speed", "switch" or the name of a property.
// Speeds are in per cent of the reference: "80%" or "80". Errors have code "usage" and the column
// in `text` (bytes, from 1).
Diagnosed<NodeSet> ParseNodeSet(std::string_view text);

// The shortest text that ParseNodeSet converts back; "switch" for one switch.
std::string NodeSetText(const NodeSet& set);

// A speed in thousandths of "80%" or "80"; none if it is no speed from 1 % to 1000 %.
std::optional<int64_t> ParseSpeed(std::string_view text);
// "80%", "62.5%". REQUIRES > 0.
std::string SpeedText(int64_t thousandths);

// A whole number of at most 15 digits; none if the text is none.
std::optional<int64_t> NumberIn(std::string_view text);

}  // namespace muster::text
