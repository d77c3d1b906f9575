// The simulated hosts of a world: a crash loses core and mailbox, but not store and machine.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "meta/core.h"
#include "sim/byzantine_site.h"
#include "sim/memory_store.h"
#include "sim/network.h"
#include "sim/world.h"
#include "site/core.h"

namespace muster::sim {

struct World::MetaHost {
  MemoryStore store;
  std::optional<meta::Core> core;  // none: it is down
  std::optional<BootInstant> next;
  std::vector<Packet> mail;
  BootInstant back;     // restart time while it is down
  bool reload = false;  // its configuration changed
  uint64_t secrets_drawn = 0;
};

struct World::SiteHost {
  site::Options options;
  MemoryStore store;
  driver::SimulatedMachine machine;
  std::optional<site::Core> core;
  std::optional<BootInstant> next;
  std::vector<Packet> mail;
  BootInstant back;
  uint64_t starts = 0;  // of the daemon; part of the name of its connection
  std::optional<ByzantineSite> byzantine;
  std::set<std::string> seen_started;
  std::set<std::string> seen_gone;
};

}  // namespace muster::sim
