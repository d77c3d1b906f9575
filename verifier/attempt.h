// What has come due in an attempt, judged from what its members' feeds told and from time: the
// events of the table in attempt_table.h. Pure; the meta carries the effects out. protocol.md
// sections 3.2 and 4.
#pragma once

#include <optional>
#include <vector>

#include "schemas/meta_records.h"
#include "schemas/site_link.h"
#include "verifier/attempt_table.h"

namespace muster::verifier {

// One member: its hold as the mirror has it, and its link.
struct MemberView {
  schemas::HoldState hold = schemas::HoldState::kNone;
  schemas::ClosedAs closed_as = schemas::ClosedAs::kNotClosed;
  schemas::Started started = schemas::Started::kNo;
  Instant start;
  bool refused = false;  // countered, stale, or unknown after nothing was seen
  bool lost = false;     // unknown after it was prepared: counts as dropped, cause `forgot`
  bool first_parts_ready =
      false;  // of the attempt's first parts, those it has; true if it has none
  bool all_parts_running = false;  // each part runs, or has run
  bool link_up = true;             // UP
  bool link_lost = false;  // SILENT or QUARANTINED; a link that is only coming up is neither
  Moment heard;            // last message of its site
  std::optional<Moment> seen_running;  // when this member was first heard to run
};

struct AttemptView {
  schemas::AttemptState state = schemas::AttemptState::kHolding;
  std::vector<MemberView> members;
  Instant start;
  Moment deadline;     // D; 0 while unknown
  bool wanted = true;  // the request is neither ended nor cancelled
  bool superseded = false;
  bool rival_permitted = false;
  bool endangered = false;      // C7 was already taken
  bool gated = false;           // one member that passes the barrier: its request waits for others
  bool secret_at_hand = true;   // a permit can be drawn now
  bool permits_allowed = true;  // n > 1: the meta trusts its own clock; nothing else is waited for
  bool answers_overdue = false;
  Moment now;
  schemas::ProtocolValues values;

  // It gets its permit at the barrier.
  bool several() const { return gated || members.size() > 1; }
};

// The next event that is due, none if nothing is. REQUIRES: at least one member.
std::optional<AttemptEvent> DueEvent(const AttemptView& view);
// The guards of the table at this moment.
AttemptGuards GuardsOf(const AttemptView& view);
// When something may come due by time alone; none if only news can change anything.
std::optional<Moment> NextDue(const AttemptView& view);

// True if every member's hold is closed.
bool AllClosed(const AttemptView& view);

}  // namespace muster::verifier
