// What is known of drivers before any of them is open: for simulations of their sites.
#pragma once

#include <string_view>

#include "schemas/driver_facts.h"

namespace muster::driver {

using Facts = schemas::DriverFacts;
using schemas::NodeFact;

// protocol.md sections 4 and 5.
Facts ProcessFacts();
Facts SimulatedFacts();
// By the name of a driver in site.toml; those of a driver that must see its machine first are as if
// it had found nothing.
Facts FactsOf(std::string_view driver);

}  // namespace muster::driver
