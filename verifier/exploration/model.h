// A small closed model around the real tables of protocol.md section 3: one request, two sites, two
// attempts, two epochs of the meta. Time is an event. Every possible next step is a move, and the
// explorer tries all moves. Durable and volatile state are separate, so that a crash loses exactly
// the volatile one. protocol.md section 10.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/meta_records.h"
#include "verifier/attempt.h"
#include "verifier/hold_table.h"
#include "verifier/loan_table.h"
#include "verifier/part_table.h"

namespace muster::verifier::exploration {

inline constexpr int kAttempts = 2;
inline constexpr int kSites = 2;
// Room for the undelivered changes of a site; longer feeds are not explored.
inline constexpr int kFeed = 8;

// Faults planted into the model to show that the exploration finds them. Each violates one rule of
// protocol.md.
enum class Planted : uint8_t {
  kNothing,
  kPreparedEndsWithLease,     // a site drops PREPARED by itself before D
  kDecidedBeforeAllPrepared,  // C3 upon the first answer
  kPermitBeforeReady,         // C8 although not all parts are ready
  kNoTombstone,               // H5 does not store the release
  kPlacedAgainOnSilence,      // C12 although a member is only silent, not closed
  kOldEpochHeard,             // the epoch of envelopes is not checked
  kStartNotWritten,           // STARTING is written after the spawn instead of before
  kNeverRanAssumed,           // after a restart a site does not ask its driver
  kPermitSentBeforeWritten,   // C8, C4: sends the permit before writing it
  kRivalIgnored,              // C3, C4 ignore the request's other attempt
  kLateStart,                 // no H18, and no "not after" check at the spawn
  kClosedRevived,             // a creating order on a CLOSED hold makes a new one
  // The following faults each leave out one effect of the attempt table.
  kNoDecisionWritten,
  kNoPermitWritten,
  kNoSupersededWritten,
  kNoOutcomeWritten,
  kNoResumedSearch,
  kNoPlaceAgain,
  // With Config::lends.
  kLoanNotWritten,    // L1 is written after the spawn instead of before
  kLoanForgotten,     // after a restart a site does not ask its driver for loans
  kStartsBesideLoan,  // a part starts although its life on lent room has not ended
  kPauseForgotten,    // after a restart a site does not repeat whether a loan is paused
};
inline constexpr int kPlantedCount = 23;
const char* ToText(Planted planted);
// The effect that a planted fault leaves out; 0 if none.
uint32_t EffectLeftOut(Planted planted);

struct Config {
  int members = 2;           // 2: both sites in each attempt; 1: attempt i at site i
  bool cancel = false;       // the user may cancel, at most once
  bool late_answers = true;  // answer_wait may pass before an answer arrives
  int losses = 2;
  int duplicates = 1;
  int crashes_per_daemon = 1;
  bool lends = false;  // with one member: a site may lend a part room before its start, once
  Planted planted = Planted::kNothing;
};

// One hold at one site. Only bytes, so that states can be compared and hashed as memory.
struct HoldBytes {
  uint8_t state;      // schemas::HoldState
  uint8_t closed_as;  // schemas::ClosedAs
  uint8_t part;       // schemas::PartState
  uint8_t started;    // schemas::Started, durable
  uint8_t was_ready;  // 1: has been READY durably
  uint8_t released;   // 1: a release was processed, so the hold must never live again
  uint8_t stopping;
  // Volatile; 1: the driver has the command; 2: spawned but not written (kStartNotWritten).
  uint8_t pending;
  uint8_t process;  // true state; 0: none, 1: running, 2: gone
  uint8_t runs;     // true number of process starts, without those on lent room
  uint8_t loan;     // 0: none; 1 + schemas::LoanState
  // Volatile; 1: the driver has the command; 2: spawned but not written (kLoanNotWritten).
  uint8_t loan_pending;
  uint8_t loan_process;  // true state; 0: none, 1: running, 2: gone by itself, 3: gone as told
  uint8_t loan_frozen;   // true state; 1: its process is off its cores
  uint8_t loan_word;     // volatile; 1: the driver was told to pause it, to resume it or to end it
  uint8_t recalls;
};
// The meta's mirror of a hold (durable).
struct MirrorBytes {
  uint8_t state, closed_as, part, started, seen_running;
};
struct ChangeBytes {
  uint8_t attempt, state, closed_as, part, started;
};
struct SiteBytes {
  uint8_t up, crashes, epoch, synced;  // synced: 0 no link, 1 SYNCING, 2 UP
  std::array<HoldBytes, kAttempts> holds;
  uint8_t feed_length;
  std::array<ChangeBytes, kFeed> feed;
  std::array<uint8_t, kAttempts * 4 * 2> orders;  // orders in flight, by attempt, kind and epoch
};
struct AttemptBytes {
  uint8_t exists, state, phase, permit, superseded, replaces, endangered, counted_partial, overdue,
      silent;
  // 1 + the durable state, while a write is outstanding (only with kPermitSentBeforeWritten); else
  // 0.
  uint8_t unwritten;
  uint8_t was_permitted_before;  // the permit before the outstanding write
  uint8_t durable;               // the decision is on disk and survives a crash of the meta
};
struct State {
  uint8_t meta_up, meta_crashes, epoch, done, cancelled, losses, duplicates;
  uint8_t seeks;  // the request seeks a place, or a replacement of its attempt
  std::array<AttemptBytes, kAttempts> attempts;
  std::array<std::array<MirrorBytes, kSites>, kAttempts> mirror;
  std::array<SiteBytes, kSites> sites;
};

enum class MoveKind : uint8_t {
  kTime,
  kMint,
  kOverdue,
  kSilent,
  kCancel,
  kDeliver,
  kDuplicate,
  kLose,
  kFeed,
  kReady,
  kStart,
  kSpawn,
  kStarted,
  kProcessEnds,
  kSeesEnd,
  kDeadline,
  kLeaseEnds,
  kSiteCrash,
  kSiteRestart,
  kMetaCrash,
  kMetaCrashLosing,
  kMetaRestart,
  kSync,
  kCompare,
  kRepeatPermit,
  kWrite,
  kLend,
  kLoanSpawn,
  kLoanStarted,
  kLoanEnds,
  kLoanStops,
  kLoanSeesEnd,
  kRecall,
  kKeep,
  kPause,
  kResume,
  kLoanWord
};
struct Move {
  MoveKind kind;
  uint8_t site = 0;
  uint8_t attempt = 0;
  uint8_t order = 0;  // index into SiteBytes::orders
};
std::string ToText(const Move& move);

class Model {
 public:
  explicit Model(Config config) : config_(config) {}
  State Initial() const;
  // All possible moves. `faults` includes losses, duplicates and crashes.
  std::vector<Move> Moves(const State& state, bool faults) const;
  // Makes the move. Returns a violated promise as text, if any.
  std::optional<std::string> Apply(State& state, const Move& move) const;
  // Clears details that can no longer matter (of holds and attempts that are over), so that
  // equivalent states become equal.
  static void Normalise(State& state);
  // Checks the conditions of a state that has no moves but faults. Returns a violation as text, if
  // any.
  std::optional<std::string> AtRest(const State& state) const;

 private:
  friend class Turn;
  Config config_;
};

}  // namespace muster::verifier::exploration
