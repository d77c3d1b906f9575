// See set_choice.h.
#include "site/plan/set_choice.h"

#include <algorithm>
#include <tuple>

namespace muster::plan {
namespace {

bool Better(const SetCandidate& a, const SetCandidate& b) {
  // Values are compared the other way round: the greatest first.
  return std::tie(a.wish, a.start, a.level, a.loss, a.left_over, b.value) <
         std::tie(b.wish, b.start, b.level, b.loss, b.left_over, a.value);
}

}  // namespace

std::optional<size_t> ChooseSet(std::span<const SetCandidate> candidates, Span wait) {
  if (candidates.empty()) return std::nullopt;
  Instant best = kFarFuture;
  for (const SetCandidate& one : candidates) best = std::min(best, one.start);
  std::optional<size_t> out;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].start > best + wait) continue;
    if (!out || Better(candidates[i], candidates[*out])) out = i;
  }
  return out;
}

}  // namespace muster::plan
