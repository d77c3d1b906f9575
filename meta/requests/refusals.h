// Texts with which a refusal says that it had no effect.
#pragma once

namespace muster::meta {

inline constexpr char kNothingChanged[] = "nothing was changed";
inline constexpr char kNothingSubmitted[] = "nothing was submitted";

}  // namespace muster::meta
