// Derives the outcome of a request from the ends of its parts, and puts causes into words. The meta
// does so for requests of the federation, a site for its local jobs. protocol.md sections 3.5, 5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/hold.h"
#include "schemas/reasons.h"

namespace muster::verifier {

// How one part of an attempt ended, once all holds of the attempt are closed.
struct PartFacts {
  schemas::PartEnd end;
  schemas::Started started = schemas::Started::kNo;  // `started` of the part's hold
  std::optional<Moment> ended_at;
};
enum class Ending : uint8_t {
  kDone,
  kFailed,
  kTimeout,
  kCancelled,
  // The request is placed again: no part ended well or failed by itself, or the outcome is unknown
  // and the request is rerunnable.
  kAgain,
  kUndecidable,  // the request may have run: its outcome is unknown
};
Ending EndingOf(const std::vector<PartFacts>& parts, bool cancelled, bool rerunnable);

// "node_lost at lakes/n1, job 42": a cause in words.
std::string CauseText(const schemas::Cause& cause);

}  // namespace muster::verifier
