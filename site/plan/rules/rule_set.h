// The rules of a site as its operator gives them: limits, FreePools, job-wide resources, nodes' own
// conditions, defaults and forced values (OpenCCS Sect. 3, 5.1, 5.4). Plain values; what they mean
// for a plan is SiteRules' business.
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

inline constexpr char kEvery[] = "*";    // of who: each user by itself; of a resource: each
inline constexpr char kJobs[] = "jobs";  // pseudo-resource: one of every order
inline constexpr char kArrayJobs[] = "arrayjobs";  // one of every element of an array

// What a consumer may have at most. A consumer is a user ("kim"), a group ("@students", all its
// members together) or each user by itself (kEvery). Which limit counts for a resource: those of
// the user if there are any for it, else those of all its groups, each by itself; where none of
// these is valid, those of kEvery. Of one consumer a limit of the resource itself counts before one
// of kEvery resource, while it is valid.
struct Limit {
  std::string who = kEvery;
  std::string resource = kEvery;  // of nodes, job-wide, kJobs, kArrayJobs, kEvery (no pseudo ones)
  Quota items;                    // at any instant; unlimited: any number
  std::optional<Span> duration;   // of an order that asks for the resource
  // Item-seconds of all that the consumer has in the plan from now on; an order itself counts as it
  // asks (amount times duration), what is booked with turnover and tail.
  std::optional<int64_t> area;
  bool soft = false;  // starts at once may exceed it, nothing is booked ahead beyond it
  Validity valid;
  std::string when = {};  // `valid` for people: "Mon-Fri 08-18"; "": always
  bool operator==(const Limit&) const = default;
};

// Keeps `keep` items of a resource free while valid, for orders of which `open_to` holds: all
// others find so much less. Judged on the order as a whole (its jRS and longest duration).
struct Pool {
  std::string name;
  std::string resource;  // of nodes or job-wide
  Quota keep;
  Condition open_to;
  Validity valid;
  std::string when = {};
  bool operator==(const Pool&) const = default;
};

// What nodes say of those they host (Sect. 5.4). `only` is judged per chunk, `keep` per part.
struct NodeRule {
  Condition only;                     // empty: all
  std::string only_text;              // for people
  int weight = 0;                     // prio_node of Sect. 5.2: higher is dearer
  ResourceSet keep;                   // of each node, for parts that ask for one of keep_for
  std::vector<std::string> keep_for;  // expensive resources
  bool operator==(const NodeRule&) const = default;
};

// Nodes set aside while valid, or with `outside` while not (a validity of the nodes themselves,
// OpenCCS Sect. 3): only those of `allow` are placed there then.
struct Standing {
  std::string name;
  std::vector<uint32_t> nodes;     // places, distinct
  std::vector<std::string> allow;  // users, "@group", kEvery; none: nobody
  Validity valid;
  bool outside = false;
  std::string when = {};  // `valid` for people, as of Limit
  bool operator==(const Standing&) const = default;
};

// Values for what a request leaves out (default), or in place of what it says (force).
struct RequestValues {
  std::string who = kEvery;  // user before group before kEvery, each value by itself
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
  std::vector<uint32_t> rule_of_node;  // by node, a place in node_rules; empty: no node has any
  int federation_percent = 100;        // of every resource in service, for what comes by the meta
  std::vector<Standing> standing;
  std::vector<RequestValues> defaults;
  std::vector<RequestValues> forced;
  Zone zone;  // of every validity
  bool operator==(const RuleSet&) const = default;
};

// prio_node of the node at this place.
inline int WeightOf(const RuleSet& rules, size_t node) {
  if (node >= rules.rule_of_node.size()) return 0;
  const uint32_t rule = rules.rule_of_node[node];
  return rule < rules.node_rules.size() ? rules.node_rules[rule].weight : 0;
}

}  // namespace muster::rules
