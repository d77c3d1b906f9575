// A request as its users see it: the table of protocol.md section 3.5 and how a request ends. Pure.
#pragma once

#include <optional>
#include <vector>

#include "schemas/meta_records.h"
#include "verifier/ending.h"

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

using verifier::Ending;
using verifier::EndingOf;
using verifier::PartFacts;

}  // namespace muster::meta
