// Word before an earlier start: nobody's interactive time runs while they are at lunch. A first
// placing may start at once; a move, whoever makes it, brings no start nearer than now and the
// notice. protocol.md sections 3.1 (H17) and 5.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "schemas/hold.h"
#include "schemas/request.h"
#include "schemas/views.h"

namespace muster::verifier {

inline constexpr Span kInteractiveNotice{15 * 60};  // a coffee, or a walk from the next building

// What its user said (--start-notice), else what its class has: none for batch.
Span StartNoticeOf(const schemas::RequestSpec& spec);

// The earliest start to which a move that is made now may bring it. Without a notice that is the
// second that has begun. Every move asks here: H17, offers, joint moves, re-choice.
// An element that waits for a place of its array keeps its order until it is permitted: never.
Instant EarliestMove(const schemas::HoldRecord& hold, Moment now);
Instant EarliestMove(const schemas::HoldOrder& order, Moment now);
Instant EarliestMove(const schemas::RequestSpec& spec, Moment now);

// What was promised last of what has no place any more; none if nothing ever was, or if its user
// gave the place up.
std::optional<Instant> PromiseLost(const std::vector<schemas::FigureChange>& history);

}  // namespace muster::verifier
