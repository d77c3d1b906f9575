// Orders to sites that people gave and that are no holds: drain a node, resume it, give what runs
// more time. Each is durable before it is said, and said until the site's feed answers it.
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

// Orders that are not answered yet, by number. Value type. Invariant: a site's orders are those on
// record that name it, and what differs from the store is due.
class NodeOrders {
 public:
  // As the store has it.
  void Restore(schemas::SteerRecord record);
  // REQUIRES: no order has the number of this one.
  void Give(const std::string& site, schemas::Steer order, Moment now);
  // The site answered: the order, which is on record no more. None, and nothing happens, if it is
  // no order to this site, or was answered before.
  std::optional<schemas::Steer> TakeAnswered(const std::string& site, uint64_t order);
  // This site will never answer.
  void Forget(const std::string& site);

  // Ascending.
  std::vector<schemas::Steer> To(const std::string& site) const;
  // When the first order to this site that is not answered was given.
  std::optional<Moment> WaitsSince(const std::string& site) const;
  const std::map<uint64_t, schemas::SteerRecord>& all() const { return orders_.all(); }

  // Appends what this turn has to write.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to);

 private:
  schemas::Kept<uint64_t, schemas::SteerRecord> orders_;
  std::map<std::string, std::set<uint64_t>> of_site_;  // none is empty
};

}  // namespace muster::meta
