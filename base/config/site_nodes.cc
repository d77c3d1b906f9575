// Reads all nodes first, then the values that refer to them: a condition may name a resource
// declared further down in the file.
#include "base/config/site_nodes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/phrases.h"
#include "base/text/chunks.h"
#include "base/units.h"

namespace muster::config {
namespace {

constexpr int64_t kTotalMost = int64_t{1} << 60;  // total of a resource per site
constexpr int kWeightMost = 1000;

// Resource names that are valid although they are one edit away from a known one.
const Lines& NearlyKnown() {
  static const Lines names = {"vmem", "npus"};
  return names;
}

// Values of a [[nodes]] that can only be read when all nodes are known.
struct Pending {
  size_t range;
  Value only;
  Section keep;
  ResourceSet resources;
};

class NodesReader {
 public:
  NodesReader(Document& document, Section& root, SiteConfig& config, const Found* found)
      : document_(document), root_(root), config_(config) {
    declared_.resources = KnownResources();
    if (found == nullptr) return;
    found_.emplace();
    for (const NodeConfig& node : found->nodes) found_->emplace(node.name, node);
    found_jobwide_ = found->jobwide;
  }

  Declared Read() {
    std::vector<Section> sections = root_.GetSections("nodes");
    for (Section& section : sections) ReadRange(section);
    if (found_) AddTheRest();
    if (config_.nodes.empty() && !document_.error()) {
      document_.ReportFile(
          found_ ? "its machine has no node that it may use" : "[[nodes]] is missing",
          {"a site has at least one node"});
    }
    ReadJobwide(root_.GetSection("jobwide"));
    for (Pending& pending : pending_) {
      NodeRange& range = config_.ranges[pending.range];
      Set(range.only, ReadCondition(pending.only, declared_.resources, declared_.PropertyNames()));
      if (pending.keep.present()) range.keep = ReadKeep(pending.keep, pending.resources);
    }
    ReadSwitches();
    CheckApart();
    config_.resources = declared_.resources;
    return std::move(declared_);
  }

 private:
  void ReadRange(Section& section) {
    const Value names = section.Need("names");
    ResourceSet resources;
    if (!found_) {
      resources = ReadResources(section.NeedSection("resources"));
    } else if (Section amounts = section.GetSection("resources"); amounts.present()) {
      amounts.Report("the driver's machine says what its nodes have");
    }
    const auto properties = ReadProperties(section.GetSection("properties"), resources);
    NodeRange range;
    Set(range.valid, ReadValidity(section.Get("valid")));
    if (const auto weight = section.Get("weight").AsInteger(-kWeightMost, kWeightMost)) {
      range.weight = static_cast<int>(*weight);
    }
    const int64_t speed = ReadSpeed(section.Get("speed"));
    pending_.push_back(
        {config_.ranges.size(), section.Get("only"), section.GetSection("keep"), resources});
    section.Finish();
    if (const std::optional<Lines> expanded = names.AsNames()) {
      range.names = *names.AsText();
      declared_.ranges.push_back(range.names);
      if (found_) {
        pending_.back().resources = AddToFound(names, *expanded, properties, speed);
      } else {
        AddNodes(names, *expanded, resources, properties, speed);
      }
    }
    config_.ranges.push_back(std::move(range));
  }

  // In per cent of the reference speed, by which requested durations are meant.
  int64_t ReadSpeed(const Value& value) {
    const std::optional<int> percent = value.AsPercent(1, kMostSpeed / 10);
    const int64_t speed = percent ? int64_t{*percent} * 10 : kFullSpeed;
    speeds_.insert(speed);
    if (speeds_.size() == kSetGroups + 1) {
      value.Report("the nodes have more than " + std::to_string(kSetGroups) + " speeds", "",
                   {"nodes of about the same speed share one"});
    }
    return speed;
  }

  void AddNodes(const Value& names, const Lines& expanded, const ResourceSet& resources,
                const std::map<std::string, std::string>& properties, int64_t speed) {
    for (const std::string& name : expanded) {
      const auto [first, added] = declared_.nodes.insert({name, names.where().line});
      if (!added) {
        names.Report("two nodes are named '" + name + "'",
                     "the first stands in line " + std::to_string(first->second));
        return;
      }
      config_.nodes.push_back({.name = name,
                               .resources = resources,
                               .properties = properties,
                               .range = config_.ranges.size(),
                               .speed = speed});
    }
    if (config_.nodes.size() > kNamesInRange) {
      names.Report("a site has at most " + std::to_string(kNamesInRange) + " nodes");
    }
    const auto nodes = static_cast<int64_t>(expanded.size());
    for (const auto& [name, amount] : resources.entries()) {
      if (amount > (kTotalMost - declared_.totals.Get(name)) / nodes) {
        names.Report("all nodes together have more " + name + " than can be counted", "",
                     {"at most " + std::to_string(kTotalMost) + " of a resource at one site"});
        return;
      }
      declared_.totals.Add(name, amount * nodes);
      declared_.most.Set(name, std::max(declared_.most.Get(name), amount));
    }
    for (const auto& [name, value] : properties) declared_.properties[name].insert(value);
  }

  // Adds to nodes of the machine. Returns what each of them has at the least.
  ResourceSet AddToFound(const Value& names, const Lines& expanded,
                         const std::map<std::string, std::string>& properties, int64_t speed) {
    std::optional<ResourceSet> least;
    for (const std::string& name : expanded) {
      const auto node = found_->find(name);
      if (node == found_->end()) {
        names.Report("the machine has no node '" + name + "' that the site may use", "",
                     {"it may use: " + FoundNames()});
        return {};
      }
      std::map<std::string, std::string> all = node->second.properties;
      for (const auto& [key, value] : properties) all[key] = value;
      const ResourceSet has = node->second.resources;
      AddNodes(names, {name}, has, all, speed);
      DeclareAll(has);
      ResourceSet both;
      for (const auto& [key, amount] : has.entries()) {
        both.Set(key, least ? std::min(amount, least->Get(key)) : amount);
      }
      least = std::move(both);
    }
    return least.value_or(ResourceSet());
  }

  // The nodes of the machine that no [[nodes]] names.
  void AddTheRest() {
    bool any = false;
    for (const auto& [name, node] : *found_) {
      if (!declared_.nodes.insert({name, 0}).second) continue;
      any = true;
      NodeConfig rest = node;
      rest.range = config_.ranges.size();
      DeclareAll(rest.resources);
      for (const auto& [key, amount] : rest.resources.entries()) {
        declared_.totals.Add(key, amount);
        declared_.most.Set(key, std::max(declared_.most.Get(key), amount));
      }
      for (const auto& [key, value] : rest.properties) declared_.properties[key].insert(value);
      config_.nodes.push_back(std::move(rest));
    }
    if (!any) return;
    config_.ranges.push_back({.names = "the rest"});
    declared_.ranges.emplace_back("the rest");
  }

  void DeclareAll(const ResourceSet& resources) {
    for (const auto& [name, amount] : resources.entries()) {
      if (!Contains(declared_.resources, name)) declared_.resources.push_back(name);
    }
  }

  std::string FoundNames() const {
    constexpr size_t kShown = 8;
    Lines names;
    for (const auto& [name, node] : *found_) {
      if (names.size() < kShown) names.push_back(name);
    }
    return Joined(names) + (found_->size() > kShown ? ", ..." : "");
  }

  ResourceSet ReadResources(Section section) {
    ResourceSet resources;
    Lines names;
    const std::vector<Value> values = section.All(names);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      if (!CheckName(document_, section, name, "resource")) continue;
      const std::optional<std::string> meant = ClosestName(name, KnownResources(), 1);
      if (!Contains(KnownResources(), name) && !Contains(NearlyKnown(), name) && meant) {
        document_.Report(section.KeyRegion(name), "unknown name '" + name + "'",
                         "did you mean '" + *meant + "'?",
                         {"declared: " + Joined(declared_.resources)});
      } else if (const auto amount = ReadAmount(name, values[i])) {
        resources.Set(name, *amount);
        if (!Contains(declared_.resources, name)) declared_.resources.push_back(name);
      }
    }
    if (section.present() && names.empty()) section.Report("a node has at least one resource");
    return resources;
  }

  std::map<std::string, std::string> ReadProperties(Section section, const ResourceSet& resources) {
    std::map<std::string, std::string> properties;
    Lines names;
    const std::vector<Value> values = section.All(names);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      if (Contains(KnownResources(), name) || resources.Get(name) != 0) {
        document_.Report(section.KeyRegion(name), "'" + name + "' is a resource, not a property");
      } else if (CheckName(document_, section, name, "property")) {
        if (const auto text = AsProperty(name, values[i])) properties[name] = *text;
      }
    }
    return properties;
  }

  // Reads the value of a property: text, or a whole number such as `rack = 8`. A request asks for
  // the number in the form of an amount, rack=8 (OpenCCS Example 2).
  std::optional<std::string> AsProperty(const std::string& name, const Value& value) {
    if (value.node()->is_integer()) {
      const auto number = value.AsInteger(1, text::kLargestAmount);
      return number ? std::optional(std::to_string(*number)) : std::nullopt;
    }
    std::optional<std::string> text = value.AsText();
    if (!text || !text::IsAmount(*text)) return text;
    const bool whole = text->find_first_not_of("0123456789") == std::string::npos;
    const std::string number = text->substr(std::min(text->find_first_not_of('0'), text->size()));
    if (whole && !number.empty()) return number;
    config_.warnings.push_back("nodes have the property " + name + " = \"" + *text + "\", but " +
                               name + "=" + *text + " in a request is " +
                               (whole ? "nothing" : "a size") + ": it cannot be asked for");
    return text;
  }

  // A name must not be both a resource and a property, since requests name both alike.
  void CheckApart() {
    for (const auto& [name, values] : declared_.properties) {
      if (!Contains(declared_.resources, name)) continue;
      document_.ReportFile("'" + name + "' is a resource of some nodes and a property of others",
                           {"another name for one of them"});
    }
  }

  void ReadJobwide(Section section) {
    Lines names;
    const std::vector<Value> values = section.All(names);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      if (!CheckName(document_, section, name, "resource")) continue;
      if (Contains(declared_.resources, name) || declared_.properties.contains(name)) {
        document_.Report(section.KeyRegion(name),
                         "'" + name + "' is of nodes already, and cannot be job-wide too", "",
                         {"another name"});
        continue;
      }
      const std::optional<int64_t> amount = ReadAmount(name, values[i]);
      if (found_jobwide_.Get(name) > 0) {
        values[i].Report("the driver's machine says how many '" + name + "' there are", "",
                         {"leave it out; a [[limit]] leaves some of them to others"});
      } else if (amount && *amount == 0) {
        values[i].Report("'" + name + "' is nothing here", "", {"at least 1, or leave it out"});
      } else if (amount) {
        config_.jobwide.Set(name, *amount);
      }
    }
    for (const auto& [name, amount] : found_jobwide_.entries()) {
      config_.jobwide.Set(name, amount);
    }
    for (const auto& [name, amount] : config_.jobwide.entries()) {
      declared_.jobwide.push_back(name);
      declared_.totals.Set(name, amount);
      declared_.most.Set(name, amount);
    }
  }

  // Reads keep = { ncpus = 2, for = "ngpus" }.
  std::optional<KeepConfig> ReadKeep(Section& section, const ResourceSet& resources) {
    KeepConfig keep;
    ReadFor(section.Need("for"), resources, keep);
    Lines names;
    std::vector<Value> values = section.All(names);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      if (name == "for") continue;
      if (!Contains(declared_.resources, name)) {
        document_.Report(section.KeyRegion(name), "unknown resource '" + name + "'",
                         DidYouMean(name, declared_.resources),
                         {"declared: " + Joined(declared_.resources)});
        continue;
      }
      const std::optional<int64_t> amount = ReadAmount(name, values[i]);
      if (!amount) continue;
      if (*amount == 0 || *amount > resources.Get(name)) {
        values[i].Report("these nodes have " + std::to_string(resources.Get(name)) + " " + name +
                             ", and cannot keep " + std::to_string(*amount),
                         "", {"accepted: 1 to " + std::to_string(resources.Get(name))});
        continue;
      }
      keep.amounts.Set(name, *amount);
    }
    if (names.size() <= 1) {
      section.Report("'keep' names nothing to keep",
                     {"as in keep = { ncpus = 2, for = \"ngpus\" }"});
    }
    return keep;
  }

  void ReadFor(const Value& value, const ResourceSet& resources, KeepConfig& keep) {
    if (!value) return;
    const std::vector<Value> several =
        value.node()->is_array() ? value.AsList() : std::vector<Value>{value};
    for (const Value& one : several) {
      const std::optional<std::string> name = one.AsText();
      if (!name) continue;
      if (resources.Get(*name) == 0) {
        one.Report("these nodes have no '" + *name + "'", DidYouMean(*name, declared_.resources),
                   {"a resource of these nodes that is dear, as in \"ngpus\""});
        continue;
      }
      keep.for_each.push_back(*name);
    }
  }

  void ReadSwitches() {
    std::map<std::string, uint32_t> names;
    std::map<std::string, std::string> node_of;    // the switch of each node
    std::map<std::string, std::string> switch_of;  // the switch above each switch
    std::vector<std::pair<size_t, Value>> below;
    for (Section& section : root_.GetSections("switch")) {
      SwitchConfig one;
      const Value name = section.Need("name");
      Set(one.name, name.AsName());
      if (!one.name.empty() && !names.insert({one.name, name.where().line}).second) {
        name.Report("two switches are named '" + one.name + "'",
                    "the first stands in line " + std::to_string(names[one.name]));
      }
      const Value nodes = section.Get("nodes");
      const Value switches = section.Get("switches");
      section.Finish();
      if (section.present() && !nodes && !switches) {
        section.Report("a switch has 'nodes' or 'switches' below it");
      }
      if (nodes) Set(one.nodes, ReadNodeNames(nodes, declared_));
      for (const std::string& node : one.nodes) {
        if (node_of.insert({node, one.name}).second) continue;
        nodes.Report("node '" + node + "' is at switch '" + node_of[node] + "' already", "",
                     {"each node is at one switch at most"});
        break;
      }
      if (switches) {
        Set(one.switches, switches.AsNames());
        below.emplace_back(config_.switches.size(), switches);
      }
      config_.switches.push_back(std::move(one));
    }
    for (const auto& [index, value] : below) CheckBelow(value, index, names, switch_of);
  }

  void CheckBelow(const Value& value, size_t index, const std::map<std::string, uint32_t>& names,
                  std::map<std::string, std::string>& switch_of) {
    const SwitchConfig& above = config_.switches[index];
    for (const std::string& name : above.switches) {
      Lines known;
      for (const auto& [other, line] : names) known.push_back(other);
      if (!names.contains(name)) {
        value.Report("no switch is named '" + name + "'", DidYouMean(name, known),
                     {"declared: " + Joined(known)});
        return;
      }
      if (!switch_of.insert({name, above.name}).second) {
        value.Report("switch '" + name + "' is below switch '" + switch_of[name] + "' already", "",
                     {"each switch is below one other at most"});
        return;
      }
      std::string top = above.name;
      while (top != name && switch_of.contains(top)) top = switch_of[top];
      if (top == name) {
        value.Report("switch '" + name + "' would be below itself", "", {"switches form a tree"});
        return;
      }
    }
  }

  Document& document_;
  Section& root_;
  SiteConfig& config_;
  Declared declared_;
  std::optional<std::map<std::string, NodeConfig>> found_;  // by name
  ResourceSet found_jobwide_;
  std::vector<Pending> pending_;
  std::set<int64_t> speeds_;
};

}  // namespace

Declared ReadNodes(Document& document, Section& root, SiteConfig& config, const Found* found) {
  return NodesReader(document, root, config, found).Read();
}

}  // namespace muster::config
