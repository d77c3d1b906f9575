// How a request ends, from how its parts did; causes in words. Both sides of the protocol end
// requests: the meta those of the federation, a site its local ones. protocol.md sections 3.5, 5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/hold.h"
#include "schemas/reasons.h"

namespace muster::verifier {

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

// "node_lost at lakes/n1, job 42": for people.
std::string CauseText(const schemas::Cause& cause);

}  // namespace muster::verifier
