// The life of a part at its site: protocol.md section 3.3, row by row. Pure, as hold_table.h.
#pragma once

#include <cstdint>

#include "schemas/hold.h"

namespace muster::verifier {

enum class PartEvent : uint8_t {
  kNodesClean,  // and >= start - lead
  kNodeLost,
  kDue,         // permitted, due, clean
  kStarted,     // the driver says so
  kNotStarted,  // the driver proved that nothing ran and nothing will
  kEndInSight,  // exit, walltime, release, preempted
  kProcessesGone,
  // findings after a restart
  kFoundRunning,
  kFoundEnded,
  kFoundNeverRan,
  kFoundCannotTell
};
inline constexpr PartEvent kLastPartEvent = PartEvent::kFoundCannotTell;

// Rows of 3.3 in the order of the page; kNone: the pair is not listed and changes nothing.
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
  bool remap = false;      // other nodes; the hold's H14, H15 or H16 decides
  bool new_token = false;  // written before the driver is told
  bool final_usage = false;
  bool started_unknown = false;  // the hold's `started` becomes unknown
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

// A process of the part may exist: STARTING, RUNNING, ENDING. Such parts make nodes unclean.
bool MayHaveProcesses(schemas::PartState state);

}  // namespace muster::verifier
