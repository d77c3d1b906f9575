// The state of a request that its users see: the table of protocol.md section 3.5, and how a
// request ends. Pure.
#pragma once

#include <optional>
#include <vector>

#include "schemas/meta_records.h"
#include "verifier/ending.h"

namespace muster::meta {

// Facts about a request and the attempt that binds it.
struct RequestFacts {
  std::optional<schemas::Outcome> outcome;  // set once it has ended
  bool cancelling = false;
  bool parked = false;
  std::optional<schemas::AttemptState> attempt;  // DECIDED to PARTIAL, else nullopt
  bool several = false;                          // n > 1
  bool any_starting = false;                     // a part is STARTING or later
  bool all_started = false;                      // every part runs or has run
  bool unheard = false;      // a silent site may be running a part of it, or may have run one
  bool undecidable = false;  // all members closed, and it is unknown whether it ran
};
schemas::RequestState ShownState(const RequestFacts& facts);

// True if section 3.5 allows the state `to` after `from`.
bool MayFollow(schemas::RequestState from, schemas::RequestState to);

using verifier::Ending;
using verifier::EndingOf;
using verifier::PartFacts;

}  // namespace muster::meta
