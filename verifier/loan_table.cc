// See loan_table.h. As in part_table.cc, an end is accepted before the report of the start.
#include "verifier/loan_table.h"

#include <array>

namespace muster::verifier {
namespace {

using schemas::LoanState;

LoanStep Lend() {
  return {LoanRow::kL1, LoanNext::kStarting, {.write = true, .report = true, .new_token = true}};
}

LoanStep Recall(LoanRow row) {
  return {row, LoanNext::kRecalled, {.write = true, .report = true, .stop = true}};
}

// Only its cores are due, and it goes on when they are idle.
LoanStep Pause() {
  return {LoanRow::kL9, LoanNext::kPaused, {.write = true, .report = true, .pause = true}};
}

LoanStep Resume() {
  return {LoanRow::kL10, LoanNext::kRunning, {.write = true, .report = true, .resume = true}};
}

// It was recalled and is gone.
LoanStep Return(LoanRow row, bool ran) {
  return {row, LoanNext::kReturned, {.write = true, .report = true, .lost = ran, .recall = ran}};
}

// It ended by itself: as if it had been kept before.
LoanStep EndByItself(LoanRow row) {
  return {row, LoanNext::kEnded, {.write = true, .report = true, .moved = true}};
}

// The end of a released hold's life.
LoanStep EndReleased(LoanRow row) {
  return {row, LoanNext::kEnded, {.write = true, .report = true}};
}

// The processes are gone.
LoanStep Gone(LoanRow row, LoanState state, bool by_itself) {
  switch (state) {
    case LoanState::kStarting:
    case LoanState::kRunning:
      return EndByItself(row);
    case LoanState::kRecalled:
    case LoanState::kPaused:
      return by_itself ? EndByItself(row) : Return(row, true);
    case LoanState::kReleased:
      return EndReleased(row);
  }
  return {};
}

LoanRow RowOfGone(LoanState state, bool by_itself) {
  if (state == LoanState::kReleased) return LoanRow::kL7;
  const bool off = state == LoanState::kRecalled || state == LoanState::kPaused;
  return off && !by_itself ? LoanRow::kL5 : LoanRow::kL6;
}

// The record says that it ran, and that nobody has told it to end.
bool HasBegun(LoanState state) {
  return state == LoanState::kRunning || state == LoanState::kPaused;
}

// Nothing ran: the part is as it was before the loan.
LoanStep NeverRan(LoanRow row, LoanState state) {
  if (state == LoanState::kReleased) return EndReleased(row);
  return Return(row, false);
}

LoanStep Found(LoanState state, LoanEvent event) {
  switch (event) {
    case LoanEvent::kFoundRunning:
      if (state != LoanState::kStarting) return {LoanRow::kL8, LoanNext::kStays, {}};
      return {LoanRow::kL8, LoanNext::kRunning, {.write = true, .report = true}};
    case LoanEvent::kFoundEnded:
      return Gone(LoanRow::kL8, state, true);
    case LoanEvent::kFoundStopped:
      return Gone(LoanRow::kL8, state, false);
    case LoanEvent::kFoundNeverRan:
      // The proof contradicts the recorded start, so it is not trusted: nobody can tell.
      if (HasBegun(state)) break;
      return NeverRan(LoanRow::kL8, state);
    default:
      break;
  }
  return {LoanRow::kL8, LoanNext::kEnded, {.write = true, .report = true, .started_unknown = true}};
}

}  // namespace

std::string_view ToText(LoanRow row) {
  constexpr std::array<std::string_view, 12> kTexts = {"",   "L1", "began", "L2", "L3", "L4",
                                                       "L5", "L6", "L7",    "L8", "L9", "L10"};
  return kTexts.at(static_cast<size_t>(row));
}

LoanStep NextLoan(std::optional<LoanState> state, LoanEvent event, const LoanGuards& guards) {
  if (!state) return event == LoanEvent::kLend ? Lend() : LoanStep{};
  const bool may_go_on = *state == LoanState::kStarting || HasBegun(*state);
  switch (event) {
    case LoanEvent::kLend:
      break;
    case LoanEvent::kStarted:
      if (*state != LoanState::kStarting) break;
      return {LoanRow::kBegan, LoanNext::kRunning, {.write = true, .report = true}};
    case LoanEvent::kNotStarted:
      if (HasBegun(*state)) break;
      return NeverRan(RowOfGone(*state, false), *state);
    case LoanEvent::kRoomToEnd:
      if (*state != LoanState::kRunning) break;
      return {LoanRow::kL2, LoanNext::kKept, {.write = true, .report = true, .moved = true}};
    case LoanEvent::kNodesDue:
      if (!may_go_on || !guards.protection_over) break;
      return Recall(LoanRow::kL4);
    case LoanEvent::kCoresDue:
      if (*state != LoanState::kRunning || !guards.protection_over) break;
      return Pause();
    case LoanEvent::kCoresFree:
      if (*state != LoanState::kPaused) break;
      return Resume();
    case LoanEvent::kOwnStart:
      if (!may_go_on) break;
      return Recall(LoanRow::kL3);
    case LoanEvent::kTimedOut:
      if (*state != LoanState::kStarting) break;
      return Recall(LoanRow::kL4);
    case LoanEvent::kRelease:
      if (*state == LoanState::kReleased) break;
      return {LoanRow::kL7, LoanNext::kReleased, {.write = true, .report = true, .stop = true}};
    case LoanEvent::kEnded:
      return Gone(RowOfGone(*state, true), *state, true);
    case LoanEvent::kStopped:
      return Gone(RowOfGone(*state, false), *state, false);
    case LoanEvent::kFoundRunning:
    case LoanEvent::kFoundEnded:
    case LoanEvent::kFoundStopped:
    case LoanEvent::kFoundNeverRan:
    case LoanEvent::kFoundCannotTell:
      return Found(*state, event);
  }
  return {};
}

}  // namespace muster::verifier
