// Default and forced values of a request (OpenCCS Sect. 5.1: "add missing default and force values
// (overwrite user given values) ... may be assigned to the system, the group, or the user").
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "site/plan/order.h"
#include "site/plan/rules/rule_set.h"

namespace muster::rules {

// The values that reach one consumer: of each the user's own, else that of the first of its groups,
// by name, that has one, else everybody's. Of two for the same consumer the later one counts.
class Values {
 public:
  Values(const RuleSet& rules, const std::string& user, const std::vector<std::string>& groups);

  bool empty() const { return default_ == RequestValues() && forced_ == RequestValues(); }
  // Of one chunk, and of the first part. Doing it twice changes nothing more.
  void FillChunk(ResourceSet& resources, std::map<std::string, std::string>& properties) const;
  void FillJobwide(ResourceSet& jobwide) const;
  // `asked` is 0 where the request says nothing.
  Span Duration(Span asked) const;

 private:
  RequestValues default_;
  RequestValues forced_;
};

// The order as its consumer's values make it; its durations stay, as they are promised.
void Fill(const RuleSet& rules, plan::Order& order);

}  // namespace muster::rules
