// What sites say of themselves about the room that they lend, among their capabilities.
#pragma once

namespace muster::schemas {

// Lent work is recalled for some alone: what it may have depends on how long it may stay.
inline constexpr char kRecallsForSome[] = "recalls-for-some";

}  // namespace muster::schemas
