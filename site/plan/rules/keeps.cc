// The name of a dimension is the resource, a line break, and the expensive resources for which
// items are kept.
#include "site/plan/rules/keeps.h"

#include <algorithm>
#include <utility>

namespace muster::rules {
namespace {

constexpr char kMark = '\n';
constexpr char kAlso = ',';

std::string DimensionOf(const std::string& resource, const std::vector<std::string>& keep_for) {
  std::string name = resource;
  for (size_t i = 0; i < keep_for.size(); ++i) name += (i == 0 ? kMark : kAlso) + keep_for[i];
  return name;
}

}  // namespace

bool AsksForOneOf(const plan::Part& part, const std::vector<std::string>& resources) {
  return std::any_of(resources.begin(), resources.end(), [&part](const std::string& name) {
    return std::any_of(part.chunks.begin(), part.chunks.end(),
                       [&name](const plan::Chunk& chunk) { return chunk.resources.Get(name) > 0; });
  });
}

std::vector<Keep> KeepsOf(const RuleSet& rules) {
  std::vector<Keep> out;
  for (const NodeRule& rule : rules.node_rules) {
    for (const auto& [resource, amount] : rule.keep.entries()) {
      Keep keep{resource, rule.keep_for, DimensionOf(resource, rule.keep_for)};
      if (std::find(out.begin(), out.end(), keep) == out.end()) out.push_back(std::move(keep));
    }
  }
  return out;
}

ResourceSet WithOthers(const RuleSet& rules, size_t node, const ResourceSet& has) {
  ResourceSet out = has;
  for (const Keep& keep : KeepsOf(rules)) {
    int64_t left = has.Get(keep.resource);
    if (node < rules.rule_of_node.size() && rules.rule_of_node[node] < rules.node_rules.size()) {
      const NodeRule& rule = rules.node_rules[rules.rule_of_node[node]];
      if (rule.keep_for == keep.keep_for) left -= rule.keep.Get(keep.resource);
    }
    out.Set(keep.dimension, std::max<int64_t>(left, 0));
  }
  return out;
}

ResourceSet WithOthers(const std::vector<Keep>& keeps, const ResourceSet& resources,
                       const plan::Part& part) {
  ResourceSet out = resources;
  for (const Keep& keep : keeps) {
    if (AsksForOneOf(part, keep.keep_for)) continue;
    out.Set(keep.dimension, resources.Get(keep.resource));
  }
  return out;
}

void TakeAsOthers(const std::vector<Keep>& keeps, plan::Order& order) {
  if (keeps.empty()) return;
  for (plan::Part& part : order.parts) {
    for (plan::Chunk& chunk : part.chunks) {
      chunk.resources = WithOthers(keeps, chunk.resources, part);
    }
  }
}

bool IsOfOthers(std::string_view name) { return name.find(kMark) != std::string_view::npos; }

ResourceSet Shown(const ResourceSet& resources) {
  ResourceSet out;
  for (const auto& [name, amount] : resources.entries()) {
    if (!IsOfOthers(name)) out.Set(name, amount);
  }
  return out;
}

ResourceSet ShownLeast(const ResourceSet& resources) {
  ResourceSet out = Shown(resources);
  for (const auto& [name, amount] : resources.entries()) {
    const std::string resource = Shown(name);
    out.Set(resource, std::min(out.Get(resource), amount));
  }
  return out;
}

std::string ShownIn(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == kMark) {
      out += " not kept for ";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Shown(const std::string& resource) { return resource.substr(0, resource.find(kMark)); }

}  // namespace muster::rules
