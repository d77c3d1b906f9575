// Values are merged from the least to the most specific, so that later ones replace earlier ones.
#include "site/plan/rules/request_values.h"

#include <set>

namespace muster::rules {
namespace {

void Put(const RequestValues& from, RequestValues& into) {
  if (from.duration) into.duration = from.duration;
  for (const auto& [name, amount] : from.resources.entries()) into.resources.Set(name, amount);
  for (const auto& [name, value] : from.properties) into.properties[name] = value;
  for (const auto& [name, amount] : from.jobwide.entries()) into.jobwide.Set(name, amount);
}

RequestValues Merged(const std::vector<RequestValues>& all, const std::string& user,
                     const std::vector<std::string>& groups) {
  RequestValues out;
  const auto put = [&](const std::string& who) {
    for (const RequestValues& values : all) {
      if (values.who == who) Put(values, out);
    }
  };
  put(kEvery);
  const std::set<std::string> by_name(groups.begin(), groups.end());
  for (auto group = by_name.rbegin(); group != by_name.rend(); ++group) put("@" + *group);
  if (user != kEvery) put(user);
  return out;
}

}  // namespace

Values::Values(const RuleSet& rules, const std::string& user,
               const std::vector<std::string>& groups)
    : default_(Merged(rules.defaults, user, groups)), forced_(Merged(rules.forced, user, groups)) {}

void Values::FillChunk(ResourceSet& resources,
                       std::map<std::string, std::string>& properties) const {
  for (const auto& [name, amount] : default_.resources.entries()) {
    if (resources.Get(name) == 0) resources.Set(name, amount);
  }
  for (const auto& [name, amount] : forced_.resources.entries()) resources.Set(name, amount);
  for (const auto& property : default_.properties) properties.insert(property);
  for (const auto& [name, value] : forced_.properties) properties[name] = value;
}

void Values::FillJobwide(ResourceSet& jobwide) const {
  for (const auto& [name, amount] : default_.jobwide.entries()) {
    if (jobwide.Get(name) == 0) jobwide.Set(name, amount);
  }
  for (const auto& [name, amount] : forced_.jobwide.entries()) jobwide.Set(name, amount);
}

Span Values::Duration(Span asked) const {
  if (forced_.duration) return *forced_.duration;
  return asked == Span{0} && default_.duration ? *default_.duration : asked;
}

void Fill(const RuleSet& rules, plan::Order& order) {
  if (rules.defaults.empty() && rules.forced.empty()) return;
  const Values values(rules, order.who.user, order.who.groups);
  if (values.empty()) return;
  for (plan::Part& part : order.parts) {
    for (plan::Chunk& chunk : part.chunks) values.FillChunk(chunk.resources, chunk.properties);
  }
  if (!order.parts.empty()) values.FillJobwide(order.parts.front().jobwide);
}

}  // namespace muster::rules
