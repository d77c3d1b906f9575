// See part_table.h. Reports of the driver may overtake each other (the end of a part before its
// start). So an end is accepted in STARTING and RUNNING too; the part skips the states between.
#include "verifier/part_table.h"

namespace muster::verifier {
namespace {

using schemas::PartState;

PartStep Nothing(PartState state) { return {PartRow::kNone, state, {}}; }

PartStep Ended(PartRow row, bool ran) {
  return {row,
          PartState::kEnded,
          {.write = true, .report = true, .final_usage = true, .started_yes = ran}};
}

PartStep Found(PartState state, PartEvent event) {
  if (!MayHaveProcesses(state)) return Nothing(state);
  switch (event) {
    case PartEvent::kFoundRunning:
      // RUNNING and ENDING continue. For STARTING the finding replaces the report of the start.
      if (state != PartState::kStarting) return {PartRow::kFound, state, {}};
      return {PartRow::kFound,
              PartState::kRunning,
              {.write = true, .report = true, .started_yes = true}};
    case PartEvent::kFoundEnded:
      return Ended(PartRow::kFound, true);
    case PartEvent::kFoundNeverRan:
      // The proof contradicts the recorded start, so it is not trusted: nobody can tell.
      if (state == PartState::kRunning) break;
      if (state == PartState::kEnding) return Ended(PartRow::kFound, false);
      return {PartRow::kFound, PartState::kBooked, {.write = true, .report = true, .remap = true}};
    default:
      break;
  }
  return {PartRow::kFound,
          PartState::kEnded,
          {.write = true, .report = true, .final_usage = true, .started_unknown = true}};
}

}  // namespace

bool MayHaveProcesses(PartState state) {
  return state == PartState::kStarting || state == PartState::kRunning ||
         state == PartState::kEnding;
}

PartStep NextPart(PartState state, PartEvent event) {
  switch (event) {
    case PartEvent::kNodesClean:
      if (state != PartState::kBooked) break;
      return {PartRow::kReady, PartState::kReady, {.write = true, .report = true}};
    case PartEvent::kNodeLost:
      if (state != PartState::kReady && state != PartState::kBooked) break;
      return {
          PartRow::kNodeLost, PartState::kBooked, {.write = true, .report = true, .remap = true}};
    case PartEvent::kDue:
      if (state != PartState::kReady && state != PartState::kBooked) break;
      return {PartRow::kStarting,
              PartState::kStarting,
              {.write = true, .report = true, .new_token = true}};
    case PartEvent::kStarted:
      if (state != PartState::kStarting) break;
      return {PartRow::kRunning,
              PartState::kRunning,
              {.write = true, .report = true, .started_yes = true}};
    case PartEvent::kNotStarted:
      if (state == PartState::kStarting) {
        return {PartRow::kNotStarted,
                PartState::kBooked,
                {.write = true, .report = true, .remap = true}};
      }
      // Released before the driver tried to start it.
      if (state == PartState::kEnding) return Ended(PartRow::kEnded, false);
      break;
    case PartEvent::kEndInSight:
      if (state != PartState::kRunning && state != PartState::kStarting) break;
      return {PartRow::kEnding, PartState::kEnding, {.write = true, .report = true}};
    case PartEvent::kProcessesGone:
      if (!MayHaveProcesses(state)) break;
      return Ended(PartRow::kEnded, true);
    case PartEvent::kFoundRunning:
    case PartEvent::kFoundEnded:
    case PartEvent::kFoundNeverRan:
    case PartEvent::kFoundCannotTell:
      return Found(state, event);
  }
  return Nothing(state);
}

}  // namespace muster::verifier
