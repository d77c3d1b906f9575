// Executes one move on a state, with the reactions of site and meta. Checks the predicates of
// protocol.md section 10 wherever a move can violate them.
#pragma once

#include <optional>
#include <string>

#include "verifier/exploration/model.h"

namespace muster::verifier::exploration {

enum OrderKind : uint8_t { kOrderHoldOf, kOrderCommitOf, kOrderPermitOf, kOrderReleaseOf };
constexpr uint8_t OrderIndex(int attempt, OrderKind kind, int epoch) {
  return static_cast<uint8_t>((attempt * 4 + kind) * 2 + (epoch - 1));
}

// Phases of an attempt in order: 0 before start - lead, 1 from start - lead, 2 from the start, 3
// past D - permit_window, 4 past D, 5 past D + settle, 6 past D + settle + partner_wait.
inline constexpr int kPhaseLead = 1;
inline constexpr int kPhaseStart = 2;
inline constexpr int kPhaseDeadline = 4;
inline constexpr int kPhaseSettled = 5;
inline constexpr int kLastPhase = 6;

inline schemas::HoldState StateOf(const HoldBytes& hold) {
  return static_cast<schemas::HoldState>(hold.state);
}
inline schemas::PartState PartOf(const HoldBytes& hold) {
  return static_cast<schemas::PartState>(hold.part);
}
inline schemas::AttemptState StateOf(const AttemptBytes& a) {
  return static_cast<schemas::AttemptState>(a.state);
}
inline int PhaseOf(const State& state, int attempt) { return state.attempts[attempt].phase; }
// The first phase in which no start is allowed: past D, or (n = 1) past the last start.
int LastStartPhase(const Config& config);
bool IsMember(const Config& config, int attempt, int site);
// Whether the site must execute H11 or H18 for this attempt's hold before time may advance.
bool DeadlineDue(const State& state, const Config& config, int site, int attempt);

class Turn {
 public:
  Turn(const Config& config, State& state) : config_(config), state_(state) {}

  std::optional<std::string> Make(const Move& move);

 private:
  friend class MetaActions;
  // Moves of a site.
  void Deliver(int site, int attempt, OrderKind kind, int epoch);
  void Create(int site, int attempt);
  void Take(int site, int attempt, HoldEvent event);
  void Close(int site, int attempt, schemas::ClosedAs as);
  void Report(int site, int attempt);
  void PartMoves(int site, int attempt, PartEvent event);
  void Spawn(int site, int attempt);
  void SeesEnd(int site, int attempt);
  void Restart(int site);
  // Moves of a part on lent room (loan_turn.cc).
  void Lend(int site, int attempt);
  void SpawnOnLoan(int site, int attempt);
  void LoanMoves(int site, int attempt, LoanEvent event);
  void CheckLives(int site, int attempt);
  void ObeyLoanWord(int site, int attempt);
  void CheckPauses();
  void CrashSite(int site);
  // Moves of the meta.
  void CrashMeta(bool losing);
  void RestartMeta();
  void Mint(int attempt);
  void Feed(int site);
  void Sync(int site);
  void Compare(int site);
  void MetaTurn();
  bool StepAttempt(int attempt);
  AttemptView View(int attempt) const;
  bool RivalPermitted(int attempt) const;

  void Broken(const std::string& what) {
    if (!broken_) broken_ = what;
  }
  HoldBytes& Hold(int site, int attempt) { return state_.sites[site].holds[attempt]; }
  bool Is(Planted planted) const { return config_.planted == planted; }

  const Config& config_;
  State& state_;
  std::optional<std::string> broken_;
};

}  // namespace muster::verifier::exploration
