// An operator's word to a site, by way of the meta, and the site's answer in its feed. protocol.md
// section 2b (steer), section 2 (steered).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// kDrain: no new bookings on these nodes; hard: what is booked there and has not started moves
// (H14, else H15 or H16, cause `operator`). kResume: back in use.
// kExtend: a running part goes on for `span` more. kResize: a running malleable part has `counts`
// sets of its chunks. kShare: a reservation is open to `allow`.
enum class SteerVerb : uint8_t { kDrain, kResume, kExtend, kResize, kShare };

// Repeated until `steered` comes back; an order id that is known changes nothing and is answered
// with the same result.
struct Steer {
  uint64_t order = 0;  // made by the meta, never used twice
  std::string who;     // "user:NAME"
  SteerVerb verb = SteerVerb::kDrain;
  std::vector<std::string> nodes;  // names without their site
  bool hard = false;               // kDrain
  std::string reason;              // kDrain
  Fence fence;                     // of a hold: kExtend, kResize, kShare
  uint32_t part = 0;               // kExtend, kResize
  Span span;                       // kExtend
  std::vector<uint64_t> counts;    // kResize
  std::vector<std::string> allow;  // kShare
  bool for_good = false;           // kDrain: what is out does not come back
  static constexpr auto Fields() {
    using S = Steer;
    return FieldList(Field("order", &S::order), Field("who", &S::who), Field("verb", &S::verb),
                     Field("nodes", &S::nodes), Field("hard", &S::hard),
                     Field("reason", &S::reason), Field("fence", &S::fence),
                     Field("part", &S::part), Field("span", &S::span), Field("counts", &S::counts),
                     Field("allow", &S::allow), Field("for_good", &S::for_good));
  }
  bool operator==(const Steer&) const = default;
};

// A ledger change without a hold (its fence is zero).
struct Steered {
  uint64_t order = 0;
  bool done = false;
  std::string text;  // one line for people: what was done, or why not
  static constexpr auto Fields() {
    return FieldList(Field("order", &Steered::order), Field("done", &Steered::done),
                     Field("text", &Steered::text));
  }
  bool operator==(const Steered&) const = default;
};

}  // namespace muster::schemas
