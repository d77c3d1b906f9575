// The what-if that is being answered: who asked, and which sites are still to show their records.
// One at a time, so that two questions do not slow each other down.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "meta/service/client.h"
#include "schemas/whatif_order.h"

namespace muster::meta {

class OpenWhatIf {
 public:
  // One of this user's may come now: fewer than kWhatIfsPerMinute did in the last minute. It
  // counts.
  bool TakeTurn(const std::string& user, BootInstant now);

  bool IsOpen() const { return order_.has_value(); }
  // REQUIRES of what follows, but of Begin: it is open.
  const Client& client() const { return client_; }
  const schemas::WhatIfOrder& order() const { return *order_; }
  // REQUIRES: none is open.
  void Begin(Client client, schemas::WhatIfOrder order);
  // The site is to show its records.
  void Await(const std::string& site) { awaited_[site] = 0; }
  // The page that the site is to show next; none: it shows no more.
  std::optional<uint64_t> AwaitedOf(uint64_t number, const std::string& site) const;
  // It has shown this one, and `more` follow.
  void Shown(const std::string& site, bool more);
  // It shows nothing (more): pages that it has shown do not count.
  void Silent(const std::string& site, std::string why);
  bool Complete() const { return awaited_.empty(); }
  const std::map<std::string, uint64_t>& awaited() const { return awaited_; }

  // When to give up. REQUIRES: it is open.
  BootInstant until() const { return until_; }
  void GiveUpAt(BootInstant until) { until_ = until; }
  void End();

 private:
  Client client_;
  std::optional<schemas::WhatIfOrder> order_;
  std::map<std::string, uint64_t> awaited_;  // by site, the page
  BootInstant until_;
  std::map<std::string, std::deque<BootInstant>> came_;  // in the last minute, by user
};

}  // namespace muster::meta
