// Sizes count processors, as machines are sold, if the file gives the size of a unit; otherwise
// nodes. A size that is not a multiple of its unit is reported.
#include "base/config/site_machine.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "base/phrases.h"

namespace muster::config {
namespace {

constexpr uint32_t kSideMost = 1 << 16;
constexpr size_t kUnitsMost = 4096;  // machine::kMostUnits
constexpr size_t kLevelsMost = 8;    // levels of switches

class MachineReader {
 public:
  MachineReader(Section& section, const Declared& declared, SiteConfig& config)
      : section_(section), declared_(declared), config_(config) {}

  void Read() {
    MachineConfig& machine = config_.machine;
    const Value kind = section_.Get("kind");
    Set(machine.kind, kind.AsChoice({"flat", "mesh", "hypercube", "torus", "tree"}));
    if (machine.kind == "tree") {
      ReadTree(kind);
    } else if (machine.kind != "flat") {
      ReadGrid(kind);
    }
    section_.Finish();
  }

 private:
  struct Shape {
    size_t axes;
    std::string example;
  };
  Shape Expected() const {
    if (config_.machine.kind == "mesh") return {2, "size = [8, 8]"};
    if (config_.machine.kind == "torus") return {3, "size = [4, 4, 4]"};
    return {1, "size = [64]"};
  }

  std::vector<uint32_t> Numbers(const Value& value, size_t count, const std::string& example) {
    std::vector<uint32_t> out;
    if (!value) return out;
    for (const Value& one : value.AsList()) {
      const std::optional<int64_t> number = one.AsInteger(1, kSideMost);
      if (!number) return {};
      out.push_back(static_cast<uint32_t>(*number));
    }
    if (count != 0 && out.size() != count) {
      value.Report("a " + config_.machine.kind + " has " + Counted(count, "size") + ", not " +
                       std::to_string(out.size()),
                   "", {"as in " + example});
      return {};
    }
    return out;
  }

  void ReadGrid(const Value& kind) {
    MachineConfig& machine = config_.machine;
    const Shape shape = Expected();
    const Value size = section_.Need("size");
    const Value unit = section_.Get("unit");
    machine.size = Numbers(size, shape.axes, shape.example);
    const std::vector<uint32_t> of_unit =
        Numbers(unit, shape.axes, "unit = [4, 4] of a mesh of 4 x 4 processors a unit");
    ReadChoices();
    if (machine.kind == "mesh") ReadLinks();
    if (!config_.switches.empty()) {
      kind.Report("a " + machine.kind + " has no [[switch]]", "",
                  {"flat or tree, or leave the switches out"});
    }
    if (machine.size.empty() || (unit && of_unit.empty())) return;
    if (unit && !Divide(size, unit, of_unit)) return;
    CheckUnits(size);
  }

  void ReadChoices() {
    Set(config_.machine.waste_percent, section_.Get("waste").AsPercent(0, 1000));
    Set(config_.machine.choice,
        section_.Get("choice").AsChoice({"known-set", "least-damage", "first-fit"}));
  }

  // Converts sizes from processors to units. Returns false after reporting an error.
  bool Divide(const Value& size, const Value& unit, const std::vector<uint32_t>& of_unit) {
    int64_t processors = 1;
    for (size_t axis = 0; axis < of_unit.size(); ++axis) {
      uint32_t& side = config_.machine.size[axis];
      if (side % of_unit[axis] != 0) {
        size.Report(std::to_string(side) + " processors are not a whole number of units of " +
                        std::to_string(of_unit[axis]),
                    "", {"a multiple of " + std::to_string(of_unit[axis])});
        return false;
      }
      side /= of_unit[axis];
      processors *= of_unit[axis];
    }
    for (const NodeConfig& node : config_.nodes) {
      if (node.resources.Get("ncpus") == processors) continue;
      unit.Report("a unit has " + std::to_string(processors) + " processors, and node '" +
                      node.name + "' has " + std::to_string(node.resources.Get("ncpus")) + " ncpus",
                  "", {"every node is one unit: ncpus = " + std::to_string(processors)});
      return false;
    }
    return true;
  }

  void CheckUnits(const Value& size) {
    size_t units = 1;
    for (const uint32_t side : config_.machine.size) units *= std::min<size_t>(side, kSideMost);
    const std::string kind = config_.machine.kind;
    if (units > kUnitsMost) {
      size.Report("a " + kind + " has at most " + std::to_string(kUnitsMost) + " units");
    } else if (kind == "hypercube" && !std::has_single_bit(units)) {
      size.Report(std::to_string(units) + " units are no hypercube", "",
                  {"a power of two, as in size = [64]"});
    } else if (units != config_.nodes.size()) {
      size.Report("this size has " + std::to_string(units) + " units, and there are " +
                      std::to_string(config_.nodes.size()) + " nodes",
                  "", {"one node a unit, named in the order of the units"});
    } else {
      CheckAlike(size);
    }
  }

  void CheckAlike(const Value& size) {
    const NodeConfig& first = config_.nodes.front();
    for (const NodeConfig& node : config_.nodes) {
      if (node.resources == first.resources) continue;
      size.Report("units are alike, and '" + node.name + "' has other resources than '" +
                  first.name + "'");
      return;
    }
  }

  // Reads links: "border", or the names of the nodes that have an I/O link.
  void ReadLinks() {
    MachineConfig& machine = config_.machine;
    const Value links = section_.Get("links");
    if (!links) return;
    const std::optional<std::string> text = links.AsText();
    if (!text) return;
    machine.links_at_border = *text == "border";
    if (!machine.links_at_border) Set(machine.links, ReadNodeNames(links, declared_));
  }

  void ReadTree(const Value& kind) {
    config_.planning.policy = PlanningConfig::Policy::kSwitch;
    const Value size = section_.Get("size");
    if (!size) {
      if (config_.switches.empty()) {
        kind.Report("a tree has [[switch]]es, or a size", "",
                    {"size = [8, 4] for 8 nodes a switch and 4 switches below another"});
      }
      return;
    }
    const std::vector<uint32_t> fans = Numbers(size, 0, "");
    if (!config_.switches.empty()) {
      size.Report("the [[switch]]es say what is below what already", "",
                  {"either a size or the switches"});
      return;
    }
    size_t nodes = 1;
    for (const uint32_t fan : fans) nodes *= std::min<size_t>(fan, kSideMost);
    if (fans.empty() || fans.size() > kLevelsMost) {
      size.Report("a tree has 1 to " + std::to_string(kLevelsMost) + " levels of switches");
    } else if (nodes != config_.nodes.size()) {
      size.Report("this size has " + std::to_string(nodes) + " nodes, and there are " +
                  std::to_string(config_.nodes.size()));
    } else {
      MakeTree(fans);
    }
  }

  // Names the switches: "switch1-1" is the first directly above nodes, "switch2-1" the first above
  // those.
  void MakeTree(const std::vector<uint32_t>& fans) {
    Lines below;
    for (const NodeConfig& node : config_.nodes) below.push_back(node.name);
    for (size_t level = 0; level < fans.size(); ++level) {
      Lines above;
      for (size_t first = 0; first < below.size(); first += fans[level]) {
        SwitchConfig one;
        one.name = "switch" + std::to_string(level + 1) + "-" + std::to_string(above.size() + 1);
        const auto from = below.begin() + static_cast<std::ptrdiff_t>(first);
        (level == 0 ? one.nodes : one.switches).assign(from, from + fans[level]);
        above.push_back(one.name);
        config_.switches.push_back(std::move(one));
      }
      below = std::move(above);
    }
  }

  Section& section_;
  const Declared& declared_;
  SiteConfig& config_;
};

}  // namespace

void ReadMachine(Section section, const Declared& declared, SiteConfig& config) {
  MachineReader(section, declared, config).Read();
}

}  // namespace muster::config
