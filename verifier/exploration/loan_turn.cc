// A part's life on lent room, by the table of protocol.md section 3.3 (rows L1 to L10): beside its
// hold, which stays PERMITTED with its own booking.
#include "verifier/exploration/turn.h"

namespace muster::verifier::exploration {

using schemas::ClosedAs;
using schemas::LoanState;
using schemas::PartState;
using schemas::Started;

namespace {

std::optional<LoanState> LoanOf(const HoldBytes& hold) {
  if (hold.loan == 0) return std::nullopt;
  return static_cast<LoanState>(hold.loan - 1);
}

void Set(HoldBytes& hold, LoanState state) {
  hold.loan = static_cast<uint8_t>(1 + static_cast<int>(state));
}

}  // namespace

void Turn::CheckLives(int site, int attempt) {
  const HoldBytes& hold = Hold(site, attempt);
  if (hold.process == 1 && hold.loan_process == 1) Broken("G3: one part has two lives at a time");
  for (int other = 0; other < kAttempts; ++other) {
    for (int s = 0; other != attempt && s < kSites; ++s) {
      const HoldBytes& its = state_.sites[s].holds[other];
      if (its.process == 1 || its.loan_process == 1) {
        Broken("G3: two attempts of one request run");
      }
    }
  }
}

void Turn::Lend(int site, int attempt) {
  HoldBytes& hold = Hold(site, attempt);
  hold.loan_pending = 1;
  if (!Is(Planted::kLoanNotWritten)) LoanMoves(site, attempt, LoanEvent::kLend);
}

void Turn::SpawnOnLoan(int site, int attempt) {
  HoldBytes& hold = Hold(site, attempt);
  hold.loan_pending = Is(Planted::kLoanNotWritten) ? 2 : 0;
  // Told to end before the driver tried to start it.
  if (LoanOf(hold) == LoanState::kRecalled || LoanOf(hold) == LoanState::kReleased) {
    return LoanMoves(site, attempt, LoanEvent::kNotStarted);
  }
  hold.loan_process = 1;
  const AttemptBytes& a = state_.attempts[attempt];
  if (!a.permit || a.unwritten) Broken("G1: a part started without a durable permit");
  CheckLives(site, attempt);
}

// What the driver does with the process follows from the last word, which is that of the record.
void Turn::ObeyLoanWord(int site, int attempt) {
  HoldBytes& hold = Hold(site, attempt);
  hold.loan_word = 0;
  const bool lives = hold.loan_process == 1;
  hold.loan_frozen = lives && LoanOf(hold) == LoanState::kPaused ? 1 : 0;
}

// Once its driver has obeyed, a process is off its cores exactly while its loan is paused; and what
// runs for good, or is to end, is never left frozen.
void Turn::CheckPauses() {
  for (const SiteBytes& site : state_.sites) {
    if (!site.up) continue;
    for (const HoldBytes& hold : site.holds) {
      if (hold.loan_word) continue;
      if (hold.process == 1 && hold.loan_frozen) Broken("L10: a part that is kept is frozen");
      if (hold.loan_process != 1 || hold.loan == 0) continue;
      const bool paused = LoanOf(hold) == LoanState::kPaused;
      if (paused && !hold.loan_frozen) Broken("L9: a paused life is on its cores");
      if (!paused && hold.loan_frozen)
        Broken("L10: a life that may go on, or is to end, is frozen");
    }
  }
}

void Turn::LoanMoves(int site, int attempt, LoanEvent event) {
  HoldBytes& hold = Hold(site, attempt);
  const bool after = event == LoanEvent::kStarted && hold.loan == 0;
  if (after) Set(hold, LoanState::kStarting);  // kLoanNotWritten: both in one write
  const LoanStep step = NextLoan(LoanOf(hold), event, {.protection_over = true});
  const bool word = step.effects.pause || step.effects.resume || step.effects.stop;
  if (word && hold.loan_process == 1) hold.loan_word = 1;
  switch (step.next) {
    case LoanNext::kStays:
      return;
    case LoanNext::kStarting:
      Set(hold, LoanState::kStarting);
      break;
    case LoanNext::kRunning:
      Set(hold, LoanState::kRunning);
      break;
    case LoanNext::kPaused:
      Set(hold, LoanState::kPaused);
      break;
    case LoanNext::kRecalled:
      Set(hold, LoanState::kRecalled);
      break;
    case LoanNext::kReleased:
      Set(hold, LoanState::kReleased);
      break;
    case LoanNext::kReturned:
      hold.loan = hold.loan_word = hold.loan_frozen = 0;
      if (hold.loan_process > 1) hold.loan_process = 0;
      hold.recalls = 1;  // or a start that failed: nothing is lent twice here
      break;
    case LoanNext::kKept:
      hold.loan = 0;
      hold.process = hold.loan_process > 1 ? 2 : 1;
      hold.loan_process = 0;
      hold.part = static_cast<uint8_t>(PartState::kRunning);
      hold.started = static_cast<uint8_t>(Started::kYes);
      ++hold.runs;
      if (hold.runs > 1) Broken("G3: one part came to life twice");
      break;
    case LoanNext::kEnded: {
      const bool released = LoanOf(hold) == LoanState::kReleased;
      hold.loan = hold.loan_word = hold.loan_frozen = 0;
      if (hold.loan_process > 1) hold.loan_process = 0;
      hold.part = static_cast<uint8_t>(PartState::kEnded);
      hold.started =
          static_cast<uint8_t>(step.effects.started_unknown ? Started::kUnknown : Started::kYes);
      return Close(site, attempt, released ? ClosedAs::kReleased : ClosedAs::kEnded);
    }
  }
  Report(site, attempt);
}

}  // namespace muster::verifier::exploration
