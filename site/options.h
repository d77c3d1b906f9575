// What a site's core is told once, at start: who it is, what it has, what the meta may take.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/resources.h"
#include "base/time.h"
#include "base/validities.h"
#include "schemas/limits.h"
#include "schemas/site_link.h"
#include "site/machine/known_set.h"
#include "site/machine/machine.h"
#include "site/machine/switches.h"
#include "site/plan/rules/rule_set.h"
#include "site/plan/shape.h"

namespace muster::site {

// One node: its name, what it has, what it is like.
struct Node {
  std::string name;
  ResourceSet resources;
  std::map<std::string, std::string> properties;
  ResourceSet lost =
      {};  // of what it had, and not given up: out of order (site/holds/displaced_by_reload.h)
};

// A user of the site itself. protocol.md section 3.1 (local jobs).
struct LocalUser {
  std::string name;
  bool is_operator = false;
  std::vector<std::string> groups;
};

struct Options {
  std::string federation;  // empty: the one that welcomes this site first, kept from then on
  std::string name;
  std::string boot_id;      // of this boot of the machine
  std::vector<Node> nodes;  // in the order they are shown and mapped
  std::vector<machine::Switch> switches;
  machine::Units units;  // with a geometry, every part has a whole partition of it alone
  machine::Choice choice = machine::Choice::kKnownSet;  // among free partitions
  plan::Policy policy = plan::Policy::kGreedy;
  std::string driver = "process";
  Span turnover{1};         // before each booking; the driver's: simulated 0, process 1 s
  Span start_slack{1};      // what the driver may start late
  bool finds_parts = true;  // the driver can look for tokens after a restart
  std::string rendezvous_host = "127.0.0.1";
  uint16_t first_port = 20000;  // rendezvous ports [first_port, last_port], ADR 5
  uint16_t last_port = 29999;
  size_t max_holds = schemas::kHoldsPerSite;
  size_t max_held = schemas::kHeldPerSite;
  size_t max_held_per_user = schemas::kHeldPerUser;
  BootSpan max_lease = schemas::kMaxLease;
  int extend_percent = 10;    // of its duration that a running part may get more, in all
  Span allocate_timeout{60};  // for the driver's word that a part runs
  Span release_timeout{60};   // for its processes to go once it is ending
  Span horizon{90 * 86400};   // how far ahead anything is planned
  std::optional<Span> federation_horizon;  // and for the meta; none: as far, never farther
  std::optional<uint64_t> plan_looks;      // at nodes, of one verdict; none: plan::kPlanLooks
  uint64_t seed = 1;                       // back-off jitter
  std::vector<LocalUser> users;            // none: nobody submits here
  Validities validities;                   // of these users and their groups
  size_t open_jobs_per_user = schemas::kOpenRequestsPerUser;
  rules::RuleSet rules;  // limits, pools, job-wide resources, nodes' own conditions
  Secret secret_root;    // drawn at each start: the secrets of local jobs come from it
};

}  // namespace muster::site
