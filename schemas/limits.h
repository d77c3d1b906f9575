// Every limit of the protocol that is not in [protocol] (schemas/site_link.h), with unit and
// reason. protocol.md section 9.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace muster::schemas {

inline constexpr size_t kMessageBytes = size_t{4} << 20;        // one message, either way
inline constexpr size_t kScriptBytes = size_t{1} << 20;         // a script travels in every hold
inline constexpr size_t kOutputPieceBytes = size_t{256} << 10;  // one answer to inspect(output)
inline constexpr size_t kTurnMessages = 256;      // taken into one turn: bounds a batch
inline constexpr size_t kProposalEntries = 1000;  // one planning pass
inline constexpr size_t kOrdersPerMessage = 1000;
inline constexpr size_t kReportChanges = 1000;
inline constexpr size_t kFeedWindow = 10000;   // unacknowledged changes sent ahead
inline constexpr size_t kStartIntervals = 16;  // 64 saves hardly a round, 4 costs up to three
inline constexpr size_t kSearchIntervals =
    256;  // 16 doubled as often as a search has rounds to do so
inline constexpr size_t kProfileSteps = 64;
inline constexpr size_t kNodeClasses = 8;
inline constexpr size_t kDefaultDurations = 256;  // of users and groups of one site
inline constexpr size_t kHoldsPerSite = 100000;
inline constexpr size_t kHeldPerSite = 200;  // leased ones: they cost local users
inline constexpr size_t kHeldPerUser = 16;
inline constexpr size_t kOverlaysPerMeta = 2;
inline constexpr size_t kOpenRequestsPerUser = 20000;
inline constexpr size_t kAsksPerUser = 50;  // outstanding
inline constexpr size_t kActTargets = 10000;
inline constexpr size_t kFollowersPerUser = 64;
inline constexpr size_t kRowsPerPage = 1000;
inline constexpr size_t kArrayElements = 10000;  // of one array
inline constexpr size_t kDependencies = 64;      // of one request
inline constexpr size_t kFailuresShown = 16;     // of one array
inline constexpr size_t kSlotRows = 1000;        // windows of one answer
inline constexpr size_t kBlockers = 16;          // reasons of one answer to explain
inline constexpr size_t kVerdictRows = 256;      // kept of one request, the newest
inline constexpr size_t kEventsKept = 10000;     // for followers who come later; then from the next
inline constexpr size_t kSteersKept = 1000;      // results of operators' orders a site remembers
inline constexpr size_t kPartsPerRequest = 64;
inline constexpr size_t kChunksPerPart = 64;     // distinct chunks; counts are bounded apart
inline constexpr uint32_t kChunkCount = 100000;  // equal sets in one chunk
inline constexpr size_t kNameBytes = 255;        // names of jobs, resources, sites, users
inline constexpr uint32_t kReplacementsPerRequest = 20;  // then parked, with the reason
inline constexpr uint32_t kNonsensePerMinute = 10;       // then a site is quarantined

// Bounds of lists the codec holds everybody to (schemas/codec/*.capnp names the same): what no
// honest message reaches, so that a lying one costs little memory.
inline constexpr size_t kListingHolds = 1000;      // a page of a listing
inline constexpr size_t kAllowedIntervals = 1024;  // kStartIntervals of every member, intersected
inline constexpr size_t kNamesPerSet = 64;         // resources or properties of one set
inline constexpr size_t kArguments = 10000;        // of a command; variables of its environment
inline constexpr size_t kGroupsPerUser = 1000;
inline constexpr size_t kNodesPerSite = 100000;
inline constexpr size_t kNodesPerPart = 100000;  // places of one part, nodes it shows
inline constexpr size_t kBookingRows = 100000;   // of one site, for drawing
inline constexpr size_t kHistoryRows = 1000;     // kept of one request (kHistoryKept) and shown

inline constexpr BootSpan kSingleWait = Seconds(10);  // D of n = 1 after its start
inline constexpr BootSpan kMoveWait = Seconds(60);    // of n = 1 that leaves another site
inline constexpr Span kKeepMax{24 * 3600};            // last start of n = 1 after its start
inline constexpr BootSpan kOrderExpires = Seconds(30);
inline constexpr BootSpan kPlanBudget = Milliseconds(50);  // per turn
inline constexpr BootSpan kMaxLease = Seconds(300);
inline constexpr BootSpan kHelloWait = Seconds(5);
inline constexpr BootSpan kResyncApart = Seconds(1);
inline constexpr uint32_t kMissedHeartbeats = 3;                // = SILENT
inline constexpr BootSpan kReadyHeartbeat = Milliseconds(250);  // with a READY part of n > 1
inline constexpr Span kRecordKeep{90 * 86400};
inline constexpr Span kDedupeKeep{7 * 86400};

}  // namespace muster::schemas
