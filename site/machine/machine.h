// A cluster: its nodes in the order in which they are shown, each with amounts and properties; the
// switches above them, or their units in a mesh, cube or torus; and the classes of equal nodes that
// the site reports to the meta (scheduling.md section 1). It never changes: bookings are in the
// plan.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/node_set.h"
#include "base/resources.h"
#include "site/machine/geometry.h"
#include "site/machine/switches.h"

namespace muster::machine {

// REQUIRES amounts >= 0 and a speed in [kLeastSpeed, kMostSpeed].
struct Node {
  std::string name;
  ResourceSet resources;
  std::map<std::string, std::string> properties;
  int priority = 0;            // prio_node of OpenCCS Sect. 5.2: higher is dearer
  int64_t speed = kFullSpeed;  // in thousandths of the reference (Maui Sect. IV, node sets)
};

// Nodes with equal resources, properties and speed. Switches do not matter, since topology stays
// with the site. A `mixed` class stands for several kinds of nodes if there are too many kinds:
// then per_node has the largest amounts and `properties` what at least one node has.
struct NodeClass {
  std::vector<uint32_t> nodes;  // ascending
  ResourceSet per_node;
  std::map<std::string, std::string> properties;
  bool mixed = false;
  int64_t speed = kFullSpeed;  // of a mixed class, that of its slowest node
};

// The geometry of a machine, and the node that each of its units is. A part gets a whole partition
// for itself.
struct Units {
  std::shared_ptr<const Geometry> geometry;  // null: the machine has no geometry
  std::vector<std::string> nodes;            // names, by unit; a unit that names no node is never
                                             // used
  int waste_percent = 25;                    // see Geometry::FormsFor
};

// Immutable. Nodes and resources are named by their index: nodes as given, resources by ascending
// name.
class Machine {
 public:
  // Makes at most `max_classes` node classes; further kinds of nodes share the last one. REQUIRES
  // max_classes > 0, distinct names, what Switches requires, and that with a geometry every node is
  // one unit of it.
  Machine(std::vector<Node> nodes, size_t max_classes, const std::vector<Switch>& switches = {},
          const Units& units = {});

  size_t node_count() const { return nodes_.size(); }
  size_t resource_count() const { return resources_.size(); }
  const Node& node(uint32_t index) const { return nodes_[index]; }
  const std::string& resource(uint32_t index) const { return resources_[index]; }
  std::optional<uint32_t> FindNode(std::string_view name) const;
  std::optional<uint32_t> FindResource(std::string_view name) const;
  // The amount of the resource on the node.
  int64_t Amount(uint32_t node, uint32_t resource) const {
    return amounts_[node * resources_.size() + resource];
  }
  // In thousandths of the reference.
  int64_t Speed(uint32_t node) const { return nodes_[node].speed; }
  // The speed of all nodes; none if they differ.
  std::optional<int64_t> one_speed() const { return one_speed_; }
  // The amount of the resource on all nodes together.
  int64_t Total(uint32_t resource) const { return totals_[resource]; }
  // Does the node have all these properties with these values? A node also has the properties
  // "switch" and "sw" with the name of each switch above it (Example 2 of OpenCCS).
  bool HasProperties(uint32_t node, const std::map<std::string, std::string>& wanted) const;

  // All nodes, the cheapest first (W_node of OpenCCS Sect. 5.2): by priority, then by the greatest
  // share of the machine that a node has of any resource, then as given.
  const std::vector<uint32_t>& cheap_first() const { return cheap_first_; }
  const Switches& switches() const { return switches_; }
  // Null if the machine has no geometry. Otherwise the nodes of each part form a partition.
  const Geometry* geometry() const { return geometry_.get(); }
  int waste_percent() const { return waste_percent_; }
  // REQUIRES a geometry.
  uint32_t UnitOf(uint32_t node) const { return unit_of_[node]; }
  // REQUIRES a unit that is a node.
  uint32_t NodeOf(size_t unit) const { return *node_of_[unit]; }

  const std::vector<NodeClass>& classes() const { return classes_; }
  uint32_t ClassOf(uint32_t node) const { return class_of_[node]; }

 private:
  void MakeClasses(size_t max_classes);
  void RankNodes();
  void Locate(const Units& units);
  bool HasProperty(uint32_t node, const std::string& name, const std::string& value) const;

  std::vector<Node> nodes_;
  std::optional<int64_t> one_speed_ = kFullSpeed;
  std::vector<std::string> resources_;
  std::vector<int64_t> amounts_;
  std::vector<int64_t> totals_;
  std::map<std::string, uint32_t, std::less<>> by_name_;
  Switches switches_;
  std::shared_ptr<const Geometry> geometry_;
  int waste_percent_ = 0;
  std::vector<uint32_t> unit_of_;
  std::vector<std::optional<uint32_t>> node_of_;
  std::vector<uint32_t> cheap_first_;
  std::vector<NodeClass> classes_;
  std::vector<uint32_t> class_of_;
};

}  // namespace muster::machine
