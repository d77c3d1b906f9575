// The start notice is a span: no move, whether by the meta or by a site, puts a start nearer than
// now + this span, so that no interactive session starts while its user is away. A first placing
// may start at once. protocol.md sections 3.1 (H17) and 5.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "schemas/hold.h"
#include "schemas/request.h"
#include "schemas/views.h"

namespace muster::verifier {

// Long enough for a user to come back from a break or from another building.
inline constexpr Span kInteractiveNotice{15 * 60};

// The notice that the user set (--start-notice), else the default of the class: 0 for batch.
Span StartNoticeOf(const schemas::RequestSpec& spec);

// The earliest start that a move made now may lead to; if neither a notice nor an earliest start is
// set, the present second. Applies to every kind of move: H17, offers, joint moves, re-choice.
// kFarFuture for the hold of an array element that must not move before its permit (keeps_order).
Instant EarliestMove(const schemas::HoldRecord& hold, Moment now);
Instant EarliestMove(const schemas::HoldOrder& order, Moment now);
Instant EarliestMove(const schemas::RequestSpec& spec, Moment now);

// The last promise to a request that has since lost its place. None if there was no promise, or if
// the user gave the place up.
std::optional<Instant> PromiseLost(const std::vector<schemas::FigureChange>& history);

}  // namespace muster::verifier
