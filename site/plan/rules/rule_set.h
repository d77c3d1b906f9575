// The rules of a site as its operator gives them: limits, FreePools, job-wide resources, nodes' own
// conditions, defaults and forced values (OpenCCS Sect. 3, 5.1, 5.4). Plain values; SiteRules
// applies them to a plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/calendar.h"
#include "base/condition.h"
#include "base/quota.h"
#include "base/resources.h"
#include "base/time.h"
#include "base/validity.h"

namespace muster::rules {

// As `who`: each user separately. As a resource: every resource.
inline constexpr char kEvery[] = "*";
inline constexpr char kJobs[] = "jobs";            // pseudo-resource: every order counts one
inline constexpr char kArrayJobs[] = "arrayjobs";  // every element of an array counts one

// A limit on what a consumer may have. A consumer is a user ("kim"), a group ("@students"), an
// account, QoS or queue ("account chem"), each all together or, with `each`, every user of it
// separately; each user (kEvery), or each account ("account *"), QoS or queue separately. For
// a resource the user's own limits apply if there are any, else the limits of all groups of the
// user, each group separately. Where none of these is valid, the limits of kEvery apply. Among the
// limits of one consumer, one for the resource itself takes precedence over one for kEvery resource
// while it is valid.
struct Limit {
  std::string who = kEvery;
  // A resource of nodes or job-wide, kJobs, kArrayJobs, or kEvery (without the pseudo-resources).
  std::string resource = kEvery;
  Quota items;                   // at any instant; unlimited: any number
  std::optional<Span> duration;  // longest duration of a part that asks for the resource
  // Most item-seconds of all that the consumer has in the plan from now on. A new order counts what
  // it asks for (amount times duration); bookings count with turnover and tail.
  std::optional<int64_t> area;
  bool soft = false;  // immediate starts may exceed it, later ones may not
  Validity valid;
  std::string when = {};  // `valid` for people: "Mon-Fri 08-18"; "": always
  bool each = false;      // of a group: every member separately
  bool operator==(const Limit&) const = default;
};

// A FreePool. While valid it keeps `keep` items of a resource free for orders that satisfy
// `open_to`; all others find that much less. `open_to` is judged on the order as a whole (its jRS
// and longest duration). With `lend` it lends what it keeps: lent work, which is gone within its
// grace, may use it meanwhile (Maui Sect. IV, quick turnaround; scheduling.md section 18).
struct Pool {
  std::string name;
  std::string resource;  // of nodes or job-wide
  Quota keep;
  Condition open_to;
  Validity valid;
  std::string when = {};
  bool lend = false;
  bool operator==(const Pool&) const = default;
};

// A condition of nodes on what they host (Sect. 5.4). `only` is judged per chunk, `keep` per part.
struct NodeRule {
  Condition only;                     // empty: the nodes host all chunks
  std::string only_text;              // for people
  int weight = 0;                     // prio_node of Sect. 5.2: higher is dearer
  ResourceSet keep;                   // kept on each node for parts that ask for one of keep_for
  std::vector<std::string> keep_for;  // expensive resources
  bool operator==(const NodeRule&) const = default;
};

// A standing reservation: nodes are set aside while it is valid or, with `outside`, while it is not
// (a validity of the nodes themselves, OpenCCS Sect. 3). Then only orders of `allow` or `open_to`
// are placed there.
struct Standing {
  std::string name;
  std::vector<uint32_t> nodes;     // node numbers, distinct
  std::vector<std::string> allow;  // names of credentials, kEvery; none: nobody
  Validity valid;
  bool outside = false;
  std::string when = {};   // `valid` for people, as in Limit
  Condition open_to = {};  // also for orders that satisfy it, as of a Pool; empty: for no others
  bool lend = false;       // as of a Pool
  bool operator==(const Standing&) const = default;
};

// Values for what a request leaves out (default), or in place of what it says (force).
struct RequestValues {
  // for each value a user's entry goes before a group's, and that before kEvery's
  std::string who = kEvery;
  std::optional<Span> duration;
  ResourceSet resources;                          // of each chunk
  std::map<std::string, std::string> properties;  // of each chunk
  ResourceSet jobwide;                            // of the first part
  bool operator==(const RequestValues&) const = default;
};

struct RuleSet {
  std::vector<Limit> limits;
  std::vector<Pool> pools;
  ResourceSet jobwide;  // licences, disk: of the site as a whole
  std::vector<NodeRule> node_rules;
  std::vector<uint32_t> rule_of_node;  // by node: index in node_rules; empty: no node has a rule
  int federation_percent = 100;        // of every resource in service, for orders of the meta
  std::vector<Standing> standing;
  std::vector<RequestValues> defaults;
  std::vector<RequestValues> forced;
  // Names of credentials: those for whom lent work is recalled. All others keep out of its way.
  std::vector<std::string> recalled_for = {kEvery};
  Zone zone;  // time zone of every validity
  bool operator==(const RuleSet&) const = default;
};

// prio_node of node number `node`.
inline int WeightOf(const RuleSet& rules, size_t node) {
  if (node >= rules.rule_of_node.size()) return 0;
  const uint32_t rule = rules.rule_of_node[node];
  return rule < rules.node_rules.size() ? rules.node_rules[rule].weight : 0;
}

}  // namespace muster::rules
