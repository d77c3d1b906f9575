// Compiles an order into the shape (shape.h) that searches work with.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "site/machine/machine.h"
#include "site/plan/order.h"
#include "site/plan/rules.h"
#include "site/plan/shape.h"
#include "site/plan/ways.h"

namespace muster::plan {

// Hosts are only nodes with usable[node] that the ruling and the way allow. `lists`, if given,
// caches host lists for these nodes. REQUIRES a way of WaysOf for this order and machine; offsets
// >= 0, lengths > 0, counts > 0, amounts >= 0 (CheckOrder); with a geometry, exclusive parts.
Shape Compile(const Order& order, const Way& way, const machine::Machine& machine,
              const std::vector<bool>& usable, Span turnover, const Ruling& ruling,
              HostLists* lists = nullptr, Policy policy = Policy::kGreedy);

// Why the order makes no sense on any machine; none if it makes sense.
std::optional<Why> CheckOrder(const Order& order);

}  // namespace muster::plan
