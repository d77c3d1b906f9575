// Orders of operators to a site, which the meta relays, and the site's answer in its feed.
// protocol.md section 2b (steer), section 2 (steered).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// kDrain: the nodes take no new bookings; if `hard`, bookings there that have not started move
// (H14, else H15 or H16, cause `operator`). kResume: the nodes are back in use. kExtend: a running
// part goes on for `span` longer. kResize: a running malleable part gets `counts` sets of its
// chunks. kShare: a reservation is opened to `allow`.
enum class SteerVerb : uint8_t { kDrain, kResume, kExtend, kResize, kShare };

// The meta repeats an order until `steered` answers it. A site answers a known order id with the
// same result and changes nothing.
struct Steer {
  uint64_t order = 0;  // assigned by the meta, never reused
  std::string who;     // "user:NAME"; "operator:NAME" if an operator extends or resizes a part
  SteerVerb verb = SteerVerb::kDrain;
  std::vector<std::string> nodes;  // without the site
  bool hard = false;               // kDrain
  std::string reason;              // kDrain
  Fence fence;                     // the hold meant by kExtend, kResize, kShare
  uint32_t part = 0;               // kExtend, kResize
  Span span;                       // kExtend
  std::vector<uint64_t> counts;    // kResize
  std::vector<std::string> allow;  // kShare
  bool for_good = false;           // kDrain: the nodes are not expected back
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

// The result of a steer order, as a ledger change. The change belongs to no hold: its fence is
// zero.
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
