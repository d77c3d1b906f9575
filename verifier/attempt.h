// Determines the next event of an attempt (attempt_table.h) from its members' feeds and the time.
// Pure; the meta carries out the effects. protocol.md sections 3.2 and 4.
#pragma once

#include <optional>
#include <vector>

#include "schemas/meta_records.h"
#include "schemas/site_link.h"
#include "verifier/attempt_table.h"

namespace muster::verifier {

// One member: its hold in the meta's mirror, and the state of its site's link.
struct MemberView {
  schemas::HoldState hold = schemas::HoldState::kNone;
  schemas::ClosedAs closed_as = schemas::ClosedAs::kNotClosed;
  schemas::Started started = schemas::Started::kNo;
  Instant start;
  bool refused = false;  // countered, stale, or unknown before any state was seen
  bool lost = false;     // unknown after PREPARED was seen: counts as dropped, cause `forgot`
  // All of the attempt's first parts at this member are ready; true if it has none.
  bool first_parts_ready = false;
  bool all_parts_running = false;  // each part is running or has run
  bool link_up = true;             // the link is UP
  // SILENT or QUARANTINED; a link in HELLO or SYNCING is neither lost nor up.
  bool link_lost = false;
  Moment heard;                        // when the site's last message arrived
  std::optional<Moment> seen_running;  // when the site first reported that a part runs
};

struct AttemptView {
  schemas::AttemptState state = schemas::AttemptState::kHolding;
  std::vector<MemberView> members;
  Instant start;
  Moment deadline;     // D; 0: unknown
  bool wanted = true;  // the request has neither ended nor been cancelled
  bool superseded = false;
  bool rival_permitted = false;
  bool endangered = false;  // C7 was taken already
  // The attempt has n = 1 and passes the barrier, because a gate keeps its request from starting.
  bool gated = false;
  bool secret_at_hand = true;   // the secret for a permit is available
  bool permits_allowed = true;  // n > 1: the meta trusts its own clock; false delays only permits
  bool answers_overdue = false;
  Moment now;
  schemas::ProtocolValues values;

  // Whether the attempt passes the barrier: it has several members, or is gated.
  bool several() const { return gated || members.size() > 1; }
};

// The event that is due next; none if no event is due. REQUIRES: at least one member.
std::optional<AttemptEvent> DueEvent(const AttemptView& view);
// The guards of the table, evaluated at view.now.
AttemptGuards GuardsOf(const AttemptView& view);
// The earliest time at which to call DueEvent again although nothing new was heard; none if only
// news can make an event due.
std::optional<Moment> NextDue(const AttemptView& view);

// Whether every member's hold is closed.
bool AllClosed(const AttemptView& view);

}  // namespace muster::verifier
