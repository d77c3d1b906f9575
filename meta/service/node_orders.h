// Orders to sites that do not concern holds as such: drain a node, resume it, give a running part
// more time. Each is durable before it is sent, and repeated until the site's feed answers it.
// protocol.md section 2b (steer).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/kept.h"
#include "schemas/meta_records.h"
#include "schemas/steer.h"

namespace muster::meta {

// Unanswered orders, by number. Value type. Invariant: the index by site matches the records;
// records that differ from the store are pending write.
class NodeOrders {
 public:
  // Loads a stored order without writing it again.
  void Restore(schemas::SteerRecord record);
  // REQUIRES: the number of the order is new.
  void Give(const std::string& site, schemas::Steer order, Moment now);
  // Removes and returns the order that this site answered. Returns nullopt and changes nothing if
  // there is no such order to this site, or it was answered before.
  std::optional<schemas::Steer> TakeAnswered(const std::string& site, uint64_t order);
  // Drops all orders to this site, which will never answer.
  void Forget(const std::string& site);

  // Unanswered orders to this site, ascending by number.
  std::vector<schemas::Steer> To(const std::string& site) const;
  // When the oldest unanswered order to this site was given.
  std::optional<Moment> WaitsSince(const std::string& site) const;
  const std::map<uint64_t, schemas::SteerRecord>& all() const { return orders_.all(); }

  // Appends the writes of this turn.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to);

 private:
  schemas::Kept<uint64_t, schemas::SteerRecord> orders_;
  std::map<std::string, std::set<uint64_t>> of_site_;  // no set is empty
};

}  // namespace muster::meta
