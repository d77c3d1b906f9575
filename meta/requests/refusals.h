// What a refusal says of the state that it leaves.
#pragma once

namespace muster::meta {

inline constexpr char kNothingChanged[] = "nothing was changed";
inline constexpr char kNothingSubmitted[] = "nothing was submitted";

}  // namespace muster::meta
