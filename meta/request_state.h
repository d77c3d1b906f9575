// A request as its users see it: the table of protocol.md section 3.5 and how a request ends. Pure.
#pragma once

#include <optional>
#include <vector>

#include "schemas/meta_records.h"

namespace muster::meta {

// What is known of a request and the attempt that binds it.
struct RequestFacts {
  std::optional<schemas::Outcome> outcome;  // it has ended
  bool cancelling = false;
  bool parked = false;
  std::optional<schemas::AttemptState> attempt;  // DECIDED to PARTIAL; none else
  bool several = false;                          // n > 1
  bool any_starting = false;                     // a part is STARTING or later
  bool all_started = false;                      // every part runs or has run
  bool unheard = false;      // a silent site may run, or may have run, a part of it
  bool undecidable = false;  // all closed, and nobody can tell whether it ran
};
schemas::RequestState ShownState(const RequestFacts& facts);

// True if section 3.5 lets `to` follow `from`.
bool MayFollow(schemas::RequestState from, schemas::RequestState to);

// How the parts of an attempt ended, once all its holds are closed.
struct PartFacts {
  schemas::PartEnd end;
  schemas::Started started = schemas::Started::kNo;  // of its hold
  std::optional<Moment> ended_at;
};
enum class Ending : uint8_t {
  kDone,
  kFailed,
  kTimeout,
  kCancelled,
  kAgain,        // nothing ended well and nothing failed by itself: it is placed again
  kUndecidable,  // it may have run: outcome unknown
};
Ending EndingOf(const std::vector<PartFacts>& parts, bool cancelled, bool rerunnable);

}  // namespace muster::meta
