// The state table of a part at its site: protocol.md section 3.3, row by row. Pure, like
// hold_table.h.
#pragma once

#include <cstdint>

#include "schemas/hold.h"

namespace muster::verifier {

enum class PartEvent : uint8_t {
  kNodesClean,  // its nodes are clean and it is >= start - lead
  kNodeLost,
  kDue,         // permitted, its start has come, nodes clean
  kStarted,     // reported by the driver
  kNotStarted,  // the driver proved that nothing ran and nothing will
  kEndInSight,  // exit, walltime, release, preempted
  kProcessesGone,
  // Findings of the driver after a restart.
  kFoundRunning,
  kFoundEnded,
  kFoundNeverRan,
  kFoundCannotTell
};
inline constexpr PartEvent kLastPartEvent = PartEvent::kFoundCannotTell;

// Rows of section 3.3 in page order. kNone: the pair is not listed and changes nothing.
enum class PartRow : uint8_t {
  kNone,
  kReady,
  kNodeLost,
  kStarting,
  kRunning,
  kNotStarted,
  kEnding,
  kEnded,
  kFound
};

struct PartEffects {
  bool write = false;
  bool report = false;
  bool remap = false;      // map to other nodes; the hold's H14, H15 or H16 decides
  bool new_token = false;  // written before the driver gets the command
  bool final_usage = false;
  bool started_unknown = false;  // set the hold's `started` to unknown
  bool started_yes = false;
  bool operator==(const PartEffects&) const = default;
};

struct PartStep {
  PartRow row;
  schemas::PartState next;
  PartEffects effects;
  bool operator==(const PartStep&) const = default;
};

PartStep NextPart(schemas::PartState state, PartEvent event);

// Whether a process of the part may exist: STARTING, RUNNING, ENDING. Such parts keep their nodes
// from being clean.
bool MayHaveProcesses(schemas::PartState state);

}  // namespace muster::verifier
