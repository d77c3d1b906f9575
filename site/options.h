// Options of a site's core, fixed at start: its identity, its resources, and what the meta may
// take.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/node_set.h"
#include "base/resources.h"
#include "base/time.h"
#include "base/validities.h"
#include "policy/points.h"
#include "policy/shares.h"
#include "schemas/driver_facts.h"
#include "schemas/limits.h"
#include "schemas/site_link.h"
#include "site/machine/known_set.h"
#include "site/machine/machine.h"
#include "site/machine/switches.h"
#include "site/plan/rules/rule_set.h"
#include "site/plan/shape.h"

namespace muster::site {

// One node: its name, its resources and its properties.
struct Node {
  std::string name;
  ResourceSet resources;
  std::map<std::string, std::string> properties;
  ResourceSet lost =
      {};  // resources that are out of order and not given up (site/holds/displaced_by_reload.h)
  int64_t speed = kFullSpeed;  // in thousandths of the reference
};

// A user of the site itself. protocol.md section 3.1 (local jobs).
struct LocalUser {
  std::string name;
  bool is_operator = false;
  std::vector<std::string> groups;
};

enum class ShowsRecords : uint8_t { kToNobody, kToOperators, kToAll };

struct Options {
  std::string federation;  // empty: the first federation that welcomes this site, kept from then on
  std::string name;
  std::string boot_id;      // identifies this boot of the machine
  std::vector<Node> nodes;  // in the order in which they are shown and mapped
  std::vector<machine::Switch> switches;
  machine::Units units;  // with a geometry, every part gets a whole partition for itself
  machine::Choice choice = machine::Choice::kKnownSet;  // of a partition among the free ones
  plan::Policy policy = plan::Policy::kGreedy;
  std::optional<NodeSet> node_set;  // of parts that name none, or, if forced, of all
  bool node_set_forced = false;
  std::string driver = "process";
  // The driver's own, but for a turnover that is configured.
  schemas::DriverFacts facts = {.turnover = Span{1}, .start_slack = Span{1}};
  std::string rendezvous_host = "127.0.0.1";
  uint16_t first_port = 20000;  // rendezvous ports [first_port, last_port], ADR 5
  uint16_t last_port = 29999;
  size_t max_holds = schemas::kHoldsPerSite;
  size_t max_held = schemas::kHeldPerSite;
  size_t max_held_per_user = schemas::kHeldPerUser;
  BootSpan max_lease = schemas::kMaxLease;
  int extend_percent = 10;    // most extension of a part in all, % of its duration
  Span allocate_timeout{60};  // until the driver must confirm that a part runs
  Span release_timeout{60};   // until the processes of an ending part must be gone
  Span horizon{90 * 86400};   // how far ahead anything is planned
  // The same for what the meta plans here, at most `horizon`; none: `horizon`.
  std::optional<Span> federation_horizon;
  std::optional<uint64_t> plan_looks;  // looks at nodes per verdict; none: plan::kPlanLooks
  uint64_t seed = 1;                   // back-off jitter
  std::vector<LocalUser> users;        // empty: nobody can submit here
  Validities validities;               // when these users and their groups may run
  size_t open_jobs_per_user = schemas::kOpenRequestsPerUser;
  rules::RuleSet rules;  // limits, pools, job-wide resources, nodes' own conditions
  // By which the site orders whom it moves earlier first; none: by urgency.
  std::optional<policy::PointsRules> priority;
  // By which it counts what is used here; none: it counts nothing.
  std::optional<policy::FairshareRules> fairshare;
  // To whom it lends room that is idle (base/credentials.h): "*", "kim", "qos filler"; empty:
  // nobody.
  std::vector<std::string> lends_to;
  // In percent of what it has in one window of the federation's balances: how much more it may give
  // users of other homes than its own take elsewhere. Beyond that they get lent room alone. None:
  // there is no such bound.
  std::optional<int> lends_beyond;
  // To whose what-ifs it shows its records (schemas::SnapshotView).
  ShowsRecords shows_records = ShowsRecords::kToAll;
  Secret secret_root;  // drawn at each start; the secrets of local jobs are derived from it
};

}  // namespace muster::site
