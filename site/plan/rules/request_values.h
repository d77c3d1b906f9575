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

// The default and forced values of one consumer. Each value is the user's own, else that of the
// first of its groups (by name) that has one, else everybody's. Of two entries for the same
// consumer the later one counts.
class Values {
 public:
  Values(const RuleSet& rules, const std::string& user, const std::vector<std::string>& groups);

  bool empty() const { return default_ == RequestValues() && forced_ == RequestValues(); }
  // Fill in the values of one chunk, and the job-wide resources of the first part. A second call
  // changes nothing.
  void FillChunk(ResourceSet& resources, std::map<std::string, std::string>& properties) const;
  void FillJobwide(ResourceSet& jobwide) const;
  // The duration of a request that asks for `asked`; 0: it names none.
  Span Duration(Span asked) const;

 private:
  RequestValues default_;
  RequestValues forced_;
};

// Applies its consumer's values to the order. Durations stay as they are: they are settled before
// the order is made.
void Fill(const RuleSet& rules, plan::Order& order);

}  // namespace muster::rules
