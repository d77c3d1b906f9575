// Computes the jRS of an order (OpenCCS Sect. 4); sums are capped at kMost.
#include "site/plan/rules/judgement.h"

#include <algorithm>
#include <utility>

#include "site/plan/rules/keeps.h"
#include "site/plan/rules/rule_set.h"
#include "site/plan/shape.h"

namespace muster::rules {

Judgement::Judgement(const plan::Order& asked, const plan::Accounts& found, Instant at, Span before)
    : order(asked), accounts(found), now(at), turnover(before) {
  std::map<std::string, int64_t> sums;
  size_t longest = 0;
  for (size_t p = 0; p < order.parts.size(); ++p) {
    const plan::Part& part = order.parts[p];
    std::map<std::string, int64_t>& own = by_part.emplace_back();
    const auto add = [&](const ResourceSet& set, int64_t times) {
      for (const auto& [name, amount] : set.entries()) {
        if (amount <= 0 || IsOfOthers(name)) continue;
        int64_t& sum = own[name];
        sum = std::min(kMost, sum + std::min(kMost, plan::SaturatingProduct(amount, times)));
      }
    };
    for (const plan::Chunk& chunk : part.chunks) add(chunk.resources, chunk.count);
    add(part.jobwide, 1);
    for (const auto& [name, amount] : own) sums[name] += amount;
    duration = std::max(duration, part.duration());
    if (part.length > order.parts[longest].length) longest = p;
  }
  all = ResourceSet(std::vector<ResourceSet::Entry>(sums.begin(), sums.end()));
  if (by_part.empty() || order.grows) return;
  by_part[longest][kJobs] = 1;
  if (order.element) by_part[longest][kArrayJobs] = 1;
}

std::vector<int64_t> Judgement::AmountsOf(const std::string& resource) const {
  std::vector<int64_t> out;
  for (const auto& own : by_part) {
    const auto it = own.find(resource);
    out.push_back(it == own.end() ? 0 : it->second);
  }
  return out;
}

int64_t Judgement::Peak(const std::vector<int64_t>& amounts) const {
  int64_t peak = 0;
  for (const plan::Part& at : order.parts) {
    int64_t sum = 0;
    for (size_t p = 0; p < amounts.size(); ++p) {
      const plan::Part& part = order.parts[p];
      const bool there =
          part.offset <= at.offset && at.offset - turnover < part.offset + part.length;
      if (there) sum += amounts[p];
    }
    peak = std::max(peak, sum);
  }
  return peak;
}

void Judgement::Count(uint32_t part, plan::Account account, int64_t amount, bool binds,
                      Instant from) {
  ruling.counts.push_back({part, std::move(account), amount, binds, from});
}

void Judgement::Refuse(plan::Refused::Kind kind, plan::Why why) {
  const auto rank = [](plan::Refused::Kind k) {
    return k == plan::Refused::Kind::kNever ? 2 : k == plan::Refused::Kind::kBlocked ? 1 : 0;
  };
  if (ruling.refuses.has_value() && rank(ruling.refuses->kind) >= rank(kind)) return;
  ruling.refuses = plan::Refusal{kind, std::move(why)};
}

}  // namespace muster::rules
