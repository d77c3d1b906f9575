// Every limit of the protocol that is not in [protocol] (schemas/site_link.h), with unit and
// reason. protocol.md section 9.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace muster::schemas {

inline constexpr size_t kMessageBytes = size_t{4} << 20;  // per message, in both directions
// Scripts are limited because every hold carries one.
inline constexpr size_t kScriptBytes = size_t{1} << 20;
inline constexpr size_t kOutputPieceBytes = size_t{256} << 10;  // per answer to inspect(output)
inline constexpr size_t kTurnMessages = 256;      // messages taken into one turn: bounds its batch
inline constexpr size_t kProposalEntries = 1000;  // per proposal: bounds one planning pass
inline constexpr size_t kOrdersPerMessage = 1000;
inline constexpr size_t kReportChanges = 1000;
// Maximum changes that a site sends beyond the last one that the meta has acknowledged.
inline constexpr size_t kFeedWindow = 10000;
// Intervals per verdict unless the entry wants others. Measured: 64 hardly save a round, 4 cost up
// to three.
inline constexpr size_t kStartIntervals = 16;
// Maximum intervals that an entry may want. A search begins with kStartIntervals and doubles the
// number from round to round.
inline constexpr size_t kSearchIntervals = 256;
inline constexpr size_t kProfileSteps = 64;
inline constexpr size_t kNodeClasses = 8;
inline constexpr size_t kOutsideRuns = 256;       // of a site, that the meta hears of
inline constexpr size_t kDefaultDurations = 256;  // default durations of users and groups, per site
inline constexpr size_t kHoldsPerSite = 100000;
// HELD (leased) holds. Limited because they keep room from local users.
inline constexpr size_t kHeldPerSite = 200;
inline constexpr size_t kHeldPerUser = 16;
inline constexpr size_t kOverlaysPerMeta = 2;
inline constexpr size_t kOpenRequestsPerUser = 20000;
inline constexpr size_t kAsksPerUser = 50;  // outstanding `ask` messages
inline constexpr size_t kActTargets = 10000;
inline constexpr size_t kFollowersPerUser = 64;
inline constexpr size_t kRowsPerPage = 1000;
inline constexpr size_t kTriedChanges = 1000;  // per question what would be
inline constexpr size_t kWhatIfRows = 100;     // jobs that an answer names
// Fewer jobs of others than this are not told to a user, so that nobody is recognised.
inline constexpr uint64_t kHiddenFew = 5;
inline constexpr size_t kWhatIfsPerMinute = 10;  // of a user
inline constexpr size_t kSnapshotPageBytes = size_t{1} << 20;
inline constexpr size_t kArrayElements = 10000;  // per array
inline constexpr size_t kDependencies = 64;      // per request
inline constexpr size_t kFailuresShown = 16;     // listed per array
inline constexpr size_t kSlotRows = 1000;        // windows per answer to inspect(slots)
inline constexpr size_t kBlockers = 16;          // obstacles per answer to inspect(explain)
inline constexpr size_t kVerdictRows = 256;      // kept per request, the newest
inline constexpr size_t kStandingRows = 2000;    // shares of the federation that a site is told
// Events kept for followers that connect late; older ones are dropped.
inline constexpr size_t kEventsKept = 10000;
inline constexpr size_t kSteersKept = 1000;  // results of operators' orders that a site remembers
inline constexpr size_t kPartsPerRequest = 64;
// Different chunks of a part; kChunkCount bounds the sets of each.
inline constexpr size_t kChunksPerPart = 64;
inline constexpr uint32_t kChunkCount = 100000;  // equal sets per chunk
inline constexpr size_t kNameBytes = 255;        // names of jobs, resources, sites, users
// A request that has lost its place more often is parked with the reason; a local job ends refused.
inline constexpr uint32_t kReplacementsPerRequest = 20;
inline constexpr uint32_t kNonsensePerMinute = 10;  // a site that exceeds this is quarantined

// Bounds of lists that the codec enforces for every peer (schemas/codec/*.capnp repeats them). No
// honest message reaches them; they keep a lying peer from using up memory.
inline constexpr size_t kListingHolds = 1000;  // holds per page of a listing
// Large enough for the intersection of kStartIntervals intervals of each member.
inline constexpr size_t kAllowedIntervals = 1024;
inline constexpr size_t kNamesPerSet = 64;  // resources, or properties, of one set
// Arguments of a command; also variables of its environment.
inline constexpr size_t kArguments = 10000;
inline constexpr size_t kGroupsPerUser = 1000;
inline constexpr size_t kNodesPerSite = 100000;
// Placed chunk sets of a part, and nodes it reports.
inline constexpr size_t kNodesPerPart = 100000;
inline constexpr size_t kBookingRows = 100000;  // rows a site returns for a chart
// Entries of a history, or events, of a request. The meta keeps fewer (kHistoryKept).
inline constexpr size_t kHistoryRows = 1000;

inline constexpr BootSpan kSingleWait = Seconds(10);  // D of n = 1: its start + this
// D of n = 1 that moves from another site: its start + this
inline constexpr BootSpan kMoveWait = Seconds(60);
// Last start of n = 1: its start + this, or earlier if the user allows no later start.
inline constexpr Span kKeepMax{24 * 3600};
inline constexpr BootSpan kOrderExpires = Seconds(30);
inline constexpr BootSpan kPlanBudget = Milliseconds(50);  // planning time per turn
inline constexpr BootSpan kMaxLease = Seconds(300);
inline constexpr BootSpan kHelloWait = Seconds(5);
inline constexpr BootSpan kResyncApart = Seconds(1);
inline constexpr uint32_t kMissedHeartbeats = 3;  // after this many a site is SILENT
// Heartbeat period of a site with a READY part of n > 1.
inline constexpr BootSpan kReadyHeartbeat = Milliseconds(250);
inline constexpr Span kRecordKeep{90 * 86400};
inline constexpr Span kDedupeKeep{7 * 86400};

}  // namespace muster::schemas
