// One order while a site's rules judge it. Only for the sources of this folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/resources.h"
#include "site/plan/rules.h"

namespace muster::rules {

// The cap of every counted amount, so that sums of them stay far from overflow. An order that asks
// for more is refused for lack of room, whatever a rule says.
inline constexpr int64_t kMost = int64_t{1} << 55;
// Items that an account has in addition outside of its rule's validity: more than all that can be
// counted together.
inline constexpr int64_t kUnbound = int64_t{1} << 59;

struct Judgement {
  Judgement(const plan::Order& asked, const plan::Accounts& found, Instant at, Span before);

  // The amount of the resource that each part asks for, by part.
  std::vector<int64_t> AmountsOf(const std::string& resource) const;
  // The largest sum over parts that are booked at one time.
  int64_t Peak(const std::vector<int64_t>& amounts) const;
  void Count(uint32_t part, plan::Account account, int64_t amount, bool binds, Instant from);
  // Records a refusal unless a stronger or equal one is known. Never is stronger than blocked, and
  // blocked stronger than later.
  void Refuse(plan::Refused::Kind kind, plan::Why why);

  const plan::Order& order;
  const plan::Accounts& accounts;
  const Instant now;
  const Span turnover;
  std::vector<std::map<std::string, int64_t>> by_part;  // jRS of each part: chunks and job-wide, >
                                                        // 0
  ResourceSet all;                                      // of all parts
  Span duration;                                        // of the longest part
  plan::Ruling ruling;
};

}  // namespace muster::rules
