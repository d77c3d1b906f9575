// The index by site is updated together with the records.
#include "meta/service/node_orders.h"

#include <utility>

#include "base/check.h"
#include "meta/turn/keys.h"

namespace muster::meta {

void NodeOrders::Restore(schemas::SteerRecord record) {
  const uint64_t order = record.steer.order;
  of_site_[record.site].insert(order);
  orders_.Restore(order, std::move(record));
}

void NodeOrders::Give(const std::string& site, schemas::Steer order, Moment now) {
  const uint64_t number = order.order;
  MUSTER_CHECK(!orders_.Find(number));
  of_site_[site].insert(number);
  orders_.Edit(number) = {.site = site, .steer = std::move(order), .at = now};
}

std::optional<schemas::Steer> NodeOrders::TakeAnswered(const std::string& site, uint64_t order) {
  const schemas::SteerRecord* record = orders_.Find(order);
  if (!record || record->site != site) return std::nullopt;
  std::optional<schemas::Steer> out = record->steer;
  orders_.Erase(order);
  const auto of_site = of_site_.find(site);
  of_site->second.erase(order);
  if (of_site->second.empty()) of_site_.erase(of_site);
  return out;
}

void NodeOrders::Forget(const std::string& site) {
  const auto of_site = of_site_.find(site);
  if (of_site == of_site_.end()) return;
  for (const uint64_t order : of_site->second) orders_.Erase(order);
  of_site_.erase(of_site);
}

std::vector<schemas::Steer> NodeOrders::To(const std::string& site) const {
  std::vector<schemas::Steer> out;
  const auto of_site = of_site_.find(site);
  if (of_site == of_site_.end()) return out;
  for (const uint64_t order : of_site->second) out.push_back(orders_.Find(order)->steer);
  return out;
}

std::optional<Moment> NodeOrders::WaitsSince(const std::string& site) const {
  const auto of_site = of_site_.find(site);
  if (of_site == of_site_.end()) return std::nullopt;
  return orders_.Find(*of_site->second.begin())->at;
}

void NodeOrders::TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to) {
  orders_.TakeWrites(SteerKey, to);
}

}  // namespace muster::meta
