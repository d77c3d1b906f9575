// Test fixture: small plans under rules in the notation of site.toml. Only for the tests of this
// folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/condition.h"
#include "base/text/validity.h"
#include "site/plan/plan.h"
#include "site/plan/rules/upkeep.h"

namespace muster::rules {

inline constexpr int64_t kHour = 3600;
inline constexpr int64_t kDay = 24 * kHour;

inline Validity Valid(std::string_view written) {
  const Diagnosed<Validity> validity = text::ParseValidity(written);
  EXPECT_TRUE(validity.ok()) << written;
  return *validity;
}

inline Condition If(std::string_view written) {
  const Diagnosed<Condition> condition =
      text::ParseCondition(written, {{"ncpus", "mem", "ngpus", "lic"}, {"arch"}});
  EXPECT_TRUE(condition.ok()) << written;
  return *condition;
}

// The instant of a civil time in UTC.
inline Instant At(int64_t year, int32_t month, int32_t day, int32_t hour = 0, int32_t minute = 0) {
  return FromCivil({year, month, day, hour, minute, 0});
}

inline plan::Order Asks(std::string user, ResourceSet chunk, int64_t seconds, uint32_t count = 1) {
  plan::Part part;
  part.chunks = {{count, std::move(chunk), {}}};
  part.length = {seconds};
  plan::Order order;
  order.parts = {std::move(part)};
  order.who.user = std::move(user);
  return order;
}

inline plan::Order InGroups(plan::Order order, std::vector<std::string> groups) {
  order.who.groups = std::move(groups);
  return order;
}

// The order for an account, under a QoS.
inline plan::Order Under(plan::Order order, std::string account, std::string qos = "") {
  order.who.account = std::move(account);
  order.who.qos = std::move(qos);
  return order;
}

class World {
 public:
  World(std::vector<machine::Node> nodes, RuleSet rules, Instant now, Span turnover = {0},
        Span horizon = kHorizon)
      : now_(now),
        machine_(std::make_shared<const machine::Machine>(std::move(nodes), 8)),
        upkeep_(std::move(rules), machine_, turnover, horizon),
        plan_(machine_, {turnover, horizon}, upkeep_.First()) {}

  static constexpr Span kHorizon{90 * 86400};

  plan::Answer Book(const plan::Order& order) { return Book(order, IntervalSet::From(now_)); }
  plan::Answer Book(const plan::Order& order, const IntervalSet& allowed) {
    upkeep_.Renew(plan_, now_);
    return plan_.Book({{1}, ++booked_}, order, allowed, now_, {}, 4);
  }
  // Books the order and returns its start. Fails the test if the order is refused.
  Instant StartOf(const plan::Order& order) {
    const plan::Answer answer = Book(order);
    if (const auto* refused = std::get_if<plan::Refused>(&answer)) {
      ADD_FAILURE() << "refused: " << refused->why.text;
      return {};
    }
    return std::get<plan::Placed>(answer).start;
  }
  plan::Refused RefusalOf(const plan::Order& order) {
    const plan::Answer answer = Book(order);
    if (std::holds_alternative<plan::Refused>(answer)) return std::get<plan::Refused>(answer);
    ADD_FAILURE() << "it was booked";
    return {};
  }
  // The reason why the order cannot start now; none if it can.
  std::optional<plan::Why> WhyNotNow(const plan::Order& order) {
    upkeep_.Renew(plan_, now_);
    plan::Question question{order, now_, IntervalSet::From(now_), 1, false, {}};
    return plan_.Verify({question}, now_).front().why;
  }
  void SetUsable(uint32_t node, bool usable) {
    plan_.SetUsable(node, usable);
    upkeep_.ServiceChanged();
  }
  std::vector<Row> Rows(const std::string& user, const std::vector<std::string>& groups = {}) {
    upkeep_.Renew(plan_, now_);
    return upkeep_.current().Rows(user, groups, plan_.occupancy().accounts(), now_);
  }
  void FreeLast() { plan_.Free({{1}, booked_}); }
  void Go(Instant now) { now_ = now; }
  Instant now() const { return now_; }
  plan::Plan& plan() { return plan_; }
  Upkeep& upkeep() { return upkeep_; }

 private:
  Instant now_;
  std::shared_ptr<const machine::Machine> machine_;
  Upkeep upkeep_;
  plan::Plan plan_;
  uint64_t booked_ = 0;
};

// Equal nodes n1, n2, ...
inline std::vector<machine::Node> Nodes(size_t count, ResourceSet resources) {
  std::vector<machine::Node> out;
  for (size_t i = 1; i <= count; ++i) out.push_back({"n" + std::to_string(i), resources, {}});
  return out;
}

}  // namespace muster::rules
