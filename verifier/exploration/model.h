// A small closed world around the real tables of protocol.md section 3: one request, two sites, two
// attempts, two epochs of the meta. Time is an event. Everything that can happen next is a move;
// the explorer tries them all. Durable and volatile state are kept apart, so that a crash loses
// what it must. protocol.md section 10.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/meta_records.h"
#include "verifier/attempt.h"
#include "verifier/hold_table.h"
#include "verifier/part_table.h"

namespace muster::verifier::exploration {

inline constexpr int kAttempts = 2;
inline constexpr int kSites = 2;
inline constexpr int kFeed =
    8;  // changes a site may have on their way; a longer feed is not explored

// Faults that are put into the model to show that the exploration finds them. Each breaks one rule
// of the page.
enum class Planted : uint8_t {
  kNothing,
  kPreparedEndsWithLease,     // a site drops PREPARED alone before D
  kDecidedBeforeAllPrepared,  // C3 on the first answer
  kPermitBeforeReady,         // C8 without ready
  kNoTombstone,               // H5 forgets the release
  kPlacedAgainOnSilence,      // C12 when a member is silent, not closed
  kOldEpochHeard,             // the envelope's epoch is not compared
  kStartNotWritten,           // STARTING follows the spawn instead of preceding it
  kNeverRanAssumed,           // a restarted site does not ask its driver
  kPermitSentBeforeWritten,   // C8, C4: sends, then writes
  kRivalIgnored,              // C4, C3 without looking at the other attempt
  kLateStart,                 // H18 and "not after" are missing
  kClosedRevived,             // a creating order finds a CLOSED hold and makes a new one
  // One effect of the table of attempts is not carried out.
  kNoDecisionWritten,
  kNoPermitWritten,
  kNoSupersededWritten,
  kNoOutcomeWritten,
  kNoResumedSearch,
  kNoPlaceAgain,
};
inline constexpr int kPlantedCount = 19;
const char* ToText(Planted planted);
// The effect that a planted fault leaves out; 0: it leaves none out.
uint32_t EffectLeftOut(Planted planted);

struct Config {
  int members = 2;           // 2: both sites in each attempt; 1: attempt i at site i
  bool cancel = false;       // the user may cancel once
  bool late_answers = true;  // answer_wait may pass before an answer comes
  int losses = 2;
  int duplicates = 1;
  int crashes_per_daemon = 1;
  Planted planted = Planted::kNothing;
};

// One hold at one site. Bytes only, so that states compare and hash as memory.
struct HoldBytes {
  uint8_t state;      // schemas::HoldState
  uint8_t closed_as;  // schemas::ClosedAs
  uint8_t part;       // schemas::PartState
  uint8_t started;    // schemas::Started, durable
  uint8_t was_ready;  // durably READY once
  uint8_t released;   // a release was taken: never live again
  uint8_t stopping;
  uint8_t pending;  // volatile: 1 the driver has the command; 2 it spawned, and nobody wrote so
                    // (planted)
  uint8_t process;  // truth: 0 none, 1 runs, 2 gone
  uint8_t runs;     // truth: how often it came to life
};
// The meta's mirror of it (durable).
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
  std::array<uint8_t, kAttempts * 4 * 2> orders;  // in flight, by attempt, kind and epoch
};
struct AttemptBytes {
  uint8_t exists, state, phase, permit, superseded, replaces, endangered, counted_partial, overdue,
      silent;
  uint8_t
      unwritten;  // 1 + the durable state, while a write is owed (only when that fault is planted)
  uint8_t was_permitted_before;  // the permit before the write that is owed
  uint8_t durable;               // decided on disk: a crash of the meta keeps it
};
struct State {
  uint8_t meta_up, meta_crashes, epoch, done, cancelled, losses, duplicates;
  uint8_t seeks;  // the request waits to be placed, or for what replaces its attempt
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
  kWrite
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
  // Every move that is possible; `faults` says whether losses, duplicates and crashes are among
  // them.
  std::vector<Move> Moves(const State& state, bool faults) const;
  // Makes the move. A broken promise is returned as text.
  std::optional<std::string> Apply(State& state, const Move& move) const;
  // Forgets what can no longer matter (details of closed holds), so that equal futures are equal
  // states.
  static void Normalise(State& state);
  // What must hold where nothing can happen any more.
  std::optional<std::string> AtRest(const State& state) const;

 private:
  friend class Turn;
  Config config_;
};

}  // namespace muster::verifier::exploration
