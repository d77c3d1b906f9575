// A flat machine is one node with all processors, since only amounts matter there. On other
// machines every processor is a node, or a unit of the geometry. Nodes of several speeds share a
// property, so that jobs can ask for any of them as one group.
#include "sim/replay/site_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/node_set.h"
#include "base/text/node_set.h"
#include "site/machine/layout.h"

namespace muster::sim {
namespace {

constexpr int64_t kMostProcessors = int64_t{1} << 30;
constexpr int64_t kMostNodes = 4096;
constexpr char kExamples[] =
    "; as in lakes=flat:430, mesh:8x8, hypercube:64, torus:4x4x4, tree:16x4, switches:16x4 or "
    "speeds:40x120%,76x80%";

// Parses "4x4x4". Empty if a side is not a positive number.
std::vector<int64_t> Sides(std::string_view text) {
  std::vector<int64_t> out;
  const char* at = text.data();
  const char* end = at + text.size();
  for (;;) {
    int64_t side = 0;
    const auto [next, error] = std::from_chars(at, end, side);
    if (error != std::errc() || side <= 0 || side > kMostProcessors) return {};
    out.push_back(side);
    if (next == end) return out;
    if (*next != 'x') return {};
    at = next + 1;
  }
}

std::string Numbered(const char* word, int64_t number) { return word + std::to_string(number); }

void AddNodes(site::Options& site, int64_t count) {
  for (int64_t n = 1; n <= count; ++n) {
    site.nodes.push_back({.name = Numbered("n", n), .resources = {{"ncpus", 1}}});
  }
}

void AddGeometry(site::Options& site, machine::Kind kind, const std::vector<int64_t>& sides) {
  machine::Layout layout{.kind = kind};
  if (kind == machine::Kind::kHypercube) {
    layout.sides = {static_cast<uint32_t>(std::countr_zero(static_cast<uint64_t>(sides[0])))};
  } else {
    layout.sides.assign(sides.begin(), sides.end());
  }
  site.units.geometry = machine::MakeGeometry(layout);
  for (const site::Node& node : site.nodes) site.units.nodes.push_back(node.name);
}

void AddSwitches(site::Options& site, int64_t below, int64_t switches) {
  machine::Switch top{.name = "top"};
  for (int64_t s = 0; s < switches; ++s) {
    machine::Switch leaf{.name = Numbered("s", s + 1)};
    for (int64_t n = 1; n <= below; ++n) leaf.nodes.push_back(Numbered("n", s * below + n));
    top.switches.push_back(leaf.name);
    site.switches.push_back(std::move(leaf));
  }
  site.switches.push_back(std::move(top));
  site.policy = plan::Policy::kSwitch;
}

// Adds the nodes of one class, "40x120%". Returns why there are none; "" if it is valid.
std::string AddClass(std::string_view one, site::Options& site) {
  int64_t count = 0;
  const auto [next, error] = std::from_chars(one.data(), one.data() + one.size(), count);
  if (error != std::errc() || next == one.data() + one.size() || *next != 'x' || count <= 0) {
    return "'" + std::string(one) + "' is no class of nodes, which is NUMBERxSPEED";
  }
  one.remove_prefix(static_cast<size_t>(next + 1 - one.data()));
  const std::optional<int64_t> speed = text::ParseSpeed(one);
  if (!speed) return "'" + std::string(one) + "' is no speed from 1% to 1000%";
  const auto before = static_cast<int64_t>(site.nodes.size());
  if (count > kMostNodes - before) {
    return "more than " + std::to_string(kMostNodes) + " processors";
  }
  for (int64_t n = 1; n <= count; ++n) {
    site.nodes.push_back({.name = Numbered("n", before + n),
                          .resources = {{"ncpus", 1}},
                          .properties = {{kMachineProperty, site.name}},
                          .speed = *speed});
  }
  return "";
}

// Adds the nodes of "40x120%,76x80%", as AddClass.
std::string AddClasses(std::string_view classes, site::Options& site) {
  for (size_t begin = 0; begin <= classes.size();) {
    const size_t end = std::min(classes.find(',', begin), classes.size());
    const std::string fault = AddClass(classes.substr(begin, end - begin), site);
    if (!fault.empty()) return fault;
    begin = end + 1;
  }
  std::set<int64_t> speeds;
  for (const site::Node& node : site.nodes) speeds.insert(node.speed);
  if (speeds.size() <= kSetGroups) return "";
  return "more than " + std::to_string(kSetGroups) + " speeds";
}

// Why there is no such machine; "" if it is valid.
std::string FaultOf(std::string_view kind, size_t sides, int64_t processors) {
  const size_t wanted = kind == "flat" || kind == "hypercube"                    ? 1
                        : kind == "mesh" || kind == "tree" || kind == "switches" ? 2
                        : kind == "torus"                                        ? 3
                                                                                 : 0;
  if (wanted == 0) return "no machine is '" + std::string(kind) + "'";
  if (sides != wanted) {
    return "a " + std::string(kind) + " has " + std::to_string(wanted) +
           (wanted == 1 ? " size" : " sizes");
  }
  if (kind == "hypercube" && !std::has_single_bit(static_cast<uint64_t>(processors))) {
    return std::to_string(processors) + " processors are no hypercube";
  }
  if (kind != "flat" && processors > kMostNodes) {
    return "more than " + std::to_string(kMostNodes) + " processors";
  }
  return "";
}

}  // namespace

absl::StatusOr<ReplaySite> SiteFromText(std::string_view text) {
  const auto wrong = [text](const std::string& why) {
    return InvalidArgument("'" + std::string(text) + "': " + why + kExamples);
  };
  const size_t equals = text.find('=');
  const size_t colon = text.find(':');
  if (equals == 0 || equals == std::string_view::npos || colon == std::string_view::npos ||
      colon < equals) {
    return wrong("a site is NAME=KIND:SIZE");
  }
  const std::string_view kind = text.substr(equals + 1, colon - equals - 1);
  ReplaySite out;
  out.site.name = std::string(text.substr(0, equals));
  out.site.boot_id = "boot-1";
  out.site.driver = "simulated";
  out.site.horizon = {int64_t{20} * 365 * 86400};
  out.site.first_port = 1;  // a wide range: each live part takes a port
  out.site.last_port = 65535;
  if (kind == "speeds") {
    const std::string fault = AddClasses(text.substr(colon + 1), out.site);
    if (!fault.empty()) return wrong(fault);
    out.processors = static_cast<int64_t>(out.site.nodes.size());
    out.one_by_one = true;
    return out;
  }
  const std::vector<int64_t> sides = Sides(text.substr(colon + 1));
  if (sides.empty()) return wrong("'" + std::string(text.substr(colon + 1)) + "' is no size");
  int64_t processors = 1;
  for (const int64_t side : sides) {
    processors = processors > kMostProcessors / side ? kMostProcessors + 1 : processors * side;
  }
  const std::string fault = FaultOf(kind, sides.size(), processors);
  if (!fault.empty()) return wrong(fault);
  out.processors = processors;
  if (kind == "flat") {
    out.site.nodes = {{.name = "n1", .resources = {{"ncpus", processors}}}};
    return out;
  }
  out.one_by_one = true;
  AddNodes(out.site, processors);
  if (kind == "mesh") AddGeometry(out.site, machine::Kind::kMesh, sides);
  if (kind == "hypercube") AddGeometry(out.site, machine::Kind::kHypercube, sides);
  if (kind == "torus") AddGeometry(out.site, machine::Kind::kTorus, sides);
  out.one_switch = kind == "switches";
  if (kind == "tree" || kind == "switches") AddSwitches(out.site, sides[0], sides[1]);
  return out;
}

}  // namespace muster::sim
