// Pages come one after another from each site; the sites are independent of each other.
#include "meta/service/open_what_if.h"

#include <utility>

#include "base/check.h"
#include "schemas/limits.h"

namespace muster::meta {

bool OpenWhatIf::TakeTurn(const std::string& user, BootInstant now) {
  std::deque<BootInstant>& came = came_[user];
  while (!came.empty() && now - came.front() >= Seconds(60)) came.pop_front();
  if (came.size() >= schemas::kWhatIfsPerMinute) return false;
  came.push_back(now);
  return true;
}

void OpenWhatIf::Begin(Client client, schemas::WhatIfOrder order) {
  MUSTER_CHECK(!order_);
  client_ = std::move(client);
  order_ = std::move(order);
}

std::optional<uint64_t> OpenWhatIf::AwaitedOf(uint64_t number, const std::string& site) const {
  const auto page = awaited_.find(site);
  if (!order_ || order_->number != number || page == awaited_.end()) return std::nullopt;
  return page->second;
}

void OpenWhatIf::Shown(const std::string& site, bool more) {
  if (more) {
    ++awaited_.at(site);
  } else {
    awaited_.erase(site);
  }
}

void OpenWhatIf::Silent(const std::string& site, std::string why) {
  if (awaited_.erase(site) > 0) order_->silent.push_back({site, std::move(why)});
}

void OpenWhatIf::End() {
  order_.reset();
  awaited_.clear();
}

}  // namespace muster::meta
