// Whom a site with [priority] moves to earlier starts first: by points of its own, worked out of
// what a hold's order says of its request. Points order and do nothing else: no hold starts later
// because of them, and none is displaced. Maui Sect. III (Unified Queue); scheduling.md section 11.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "policy/points.h"
#include "policy/shares_now.h"
#include "schemas/hold.h"
#include "schemas/priority.h"
#include "schemas/site_link.h"

namespace muster::site {

// Value type. Points hold for a time of the grid. Invariant: between two calls of Begin equal holds
// have equal points.
class SiteOrder {
 public:
  // Without rules all have 0 points. `largest`: what the site has.
  SiteOrder(std::optional<policy::PointsRules> rules, policy::Largest largest)
      : rules_(std::move(rules)), largest_(largest) {}

  bool by_points() const { return rules_.has_value(); }
  // Takes what the meta says of the federation's shares, from the next Begin on.
  void Hear(const schemas::Standing& standing);
  // Whether points may differ from those of the present time of the grid: it is over, or something
  // was heard since.
  bool IsDue(Moment now) const;
  // Begins the time of the grid that `now` lies in, with the site's shares as they stand. REQUIRES:
  // rules.
  void Begin(Moment now, policy::SharesNow shares);
  // When the next time of the grid begins; none without rules, or before the first one.
  std::optional<Moment> Next() const;

  int64_t PointsOf(const schemas::HoldRecord& hold) const;
  // The factors that have a weight, for people.
  std::vector<schemas::PriorityRow> RowsOf(const schemas::HoldRecord& hold) const;

 private:
  Moment GridOf(Moment now) const;
  policy::Asker AskerOf(const schemas::HoldRecord& hold) const;

  std::optional<policy::PointsRules> rules_;
  policy::Largest largest_;
  std::map<std::string, int64_t> standing_;  // of the federation's shares, in thousandths
  bool heard_ = false;                       // since the present time of the grid began
  std::optional<Moment> at_;                 // that time; none: no call of Begin yet
  policy::SharesNow shares_;                 // of the site, as they stood then
};

}  // namespace muster::site
