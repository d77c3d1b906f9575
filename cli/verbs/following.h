// Times of the verbs that follow the federation or a job.
#pragma once

#include <chrono>

namespace muster::cli {

// Interval of the keep-alive: half of schemas::kFollowKeepAlive, so that one may be lost.
inline constexpr std::chrono::seconds kRepeat{5};
// Longest wait for a first answer.
inline constexpr std::chrono::seconds kFirstAnswer{5};
// Longest loss of the link while following; a meta restarts faster.
inline constexpr std::chrono::seconds kGivenUp{60};

}  // namespace muster::cli
