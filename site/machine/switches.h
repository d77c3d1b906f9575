// The switches of a machine as a tree over its nodes. OpenCCS leaves grouping by switch open (Sect.
// 5.2). See scheduling.md section 8 (switch tree).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::machine {

// A switch, with the names of the nodes and switches right below it.
struct Switch {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<std::string> switches;
};

// Immutable. Switches are named by their index, as given.
class Switches {
 public:
  Switches() = default;
  // Ignores names of unknown nodes and switches, so that a machine of only some nodes (a
  // reservation's) can be given the tree of the whole site. REQUIRES distinct names, at most one
  // switch right above each node and switch, and no switch below itself.
  Switches(const std::vector<Switch>& switches,
           const std::map<std::string, uint32_t, std::less<>>& nodes);

  size_t count() const { return all_.size(); }
  const std::string& name(uint32_t index) const { return all_[index].name; }
  std::optional<uint32_t> Find(std::string_view name) const;
  // All nodes below the switch, directly or through other switches, ascending.
  const std::vector<uint32_t>& NodesBelow(uint32_t index) const { return all_[index].nodes; }
  // 0 if no switch is below it, else one more than the greatest height below it.
  uint32_t Height(uint32_t index) const { return all_[index].height; }
  std::optional<uint32_t> Above(uint32_t index) const { return all_[index].above; }
  // The switch right above the node.
  std::optional<uint32_t> Of(uint32_t node) const {
    return node < of_node_.size() ? of_node_[node] : std::nullopt;
  }
  bool IsBelow(uint32_t node, uint32_t index) const;

 private:
  struct One {
    std::string name;
    std::optional<uint32_t> above;
    std::vector<uint32_t> nodes;
    uint32_t height = 0;
  };
  std::vector<One> all_;
  std::vector<std::optional<uint32_t>> of_node_;
};

}  // namespace muster::machine
