// The state table of a loan at its site: protocol.md section 3.3, row by row. A part with a
// contract may run on room that is lent to it before its own start; whoever is due there takes it
// back. Pure, like hold_table.h. Maui Sect. IV (preemption).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schemas/hold.h"

namespace muster::verifier {

enum class LoanEvent : uint8_t {
  kLend,        // room is free for long enough
  kStarted,     // reported by the driver
  kNotStarted,  // the driver proved that nothing ran and nothing will
  kRoomToEnd,   // the plan has its room here to the end of its walltime
  kNodesDue,    // others are due on its nodes, or its nodes are taken out of use
  kCoresDue,    // others are due on its cores, and can begin beside all else that it holds
  kCoresFree,   // the plan has its cores again for as long as a loan is first booked
  kOwnStart,    // the start of its own booking is near
  kTimedOut,    // R5: its start was not confirmed in time
  kRelease,     // its hold is released or dropped
  kEnded,       // it ended by itself: its processes are gone
  kStopped,     // it ended because it was told to
  // Findings of the driver after a restart.
  kFoundRunning,
  kFoundEnded,
  kFoundStopped,
  kFoundNeverRan,
  kFoundCannotTell
};
inline constexpr LoanEvent kLastLoanEvent = LoanEvent::kFoundCannotTell;

struct LoanGuards {
  bool protection_over = false;  // L4, L9: recalled now, it has room for `min_run`
};

// kBegan: the driver said that it runs. kNone: the pair is not listed and changes nothing.
enum class LoanRow : uint8_t { kNone, kL1, kBegan, kL2, kL3, kL4, kL5, kL6, kL7, kL8, kL9, kL10 };
std::string_view ToText(LoanRow row);  // "L4"

// What becomes of the loan and its part.
enum class LoanNext : uint8_t {
  kStays,     // as it was
  kStarting,  // these five: the loan is in that state
  kRunning,
  kPaused,
  kRecalled,
  kReleased,
  kKept,      // the part is RUNNING for good, since the loan began; its booking moves here
  kReturned,  // the part is BOOKED with its own booking
  kEnded      // the part is ENDED
};

struct LoanEffects {
  bool write = false;
  bool report = false;
  bool new_token = false;        // L1: written before the driver gets the command
  bool stop = false;             // the driver ends it, within the grace of the contract if recalled
  bool pause = false;            // the driver takes it off its cores
  bool resume = false;           // the driver lets it go on, to a later end of its walltime
  bool moved = false;            // L2, L6: report the earlier start
  bool lost = false;             // its work is lost, and counts as such
  bool recall = false;           // it counts as a recall
  bool started_unknown = false;  // nobody can tell whether it ran to its end
  bool operator==(const LoanEffects&) const = default;
};

struct LoanStep {
  LoanRow row = LoanRow::kNone;
  LoanNext next = LoanNext::kStays;
  LoanEffects effects;
  bool operator==(const LoanStep&) const = default;
};

// `state`: none if the part has no loan.
LoanStep NextLoan(std::optional<schemas::LoanState> state, LoanEvent event,
                  const LoanGuards& guards);

}  // namespace muster::verifier
