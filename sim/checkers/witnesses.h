// Where somebody who waits could be now: sites as they are booked by their own writes, every
// placing of the parts beside what is booked, and the independent checker of plans to say which of
// them breaks no rule.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/booked_site.h"
#include "sim/checkers/partitions.h"
#include "sim/checkers/placing.h"
#include "sim/checkers/waiting.h"

namespace muster::sim {

// An interactive one that has a place is moved to no nearer start: its user may be away.
inline constexpr Span kInteractiveNotice{15 * 60};

// Some parts of a request at one site, as bits: bit 0 is the first part.
struct Share {
  std::string site;
  uint32_t parts = 0;
  auto operator<=>(const Share&) const = default;
};
uint32_t AllPartsOf(const schemas::RequestSpec& spec);

class Witnesses {
 public:
  Witnesses(const CheckedWorld& world, const Layouts& layouts);

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes);
  // Changes with everything on record there.
  uint64_t VersionOf(const std::string& site) const { return sites_.at(site).version; }
  std::vector<std::string> Sites() const;

  // Shares that the request's own words allow at the site: with `apart`, and of more than four
  // parts, single ones and all of them only.
  std::vector<Share> SharesAt(const Waiter& waiter, const std::string& site) const;
  // Every placing of the share that could begin at the next second, which is `second`: beside all
  // live bookings but the request's own, with turnover and tail, and no rule is broken.
  std::vector<Placing> PlacingsOf(const Waiter& waiter, const Share& share, Instant second);
  // When the parts would start, and the last of them end, if so.
  Instant StartOf(const Waiter& waiter, const Share& share, Instant second) const;
  Instant EndOf(const Waiter& waiter, const Share& share, Instant second) const;
  // The last end of what the federation has booked there; the waiter's own apart.
  Instant PlanEnd(const Waiter& waiter, const std::string& site) const;

 private:
  struct Site {
    Site(const site::Options& options, const Layouts& layouts);
    BookedSite booked;
    PlanFacts facts;
    PlacingSite placing;
    Span slack;
    std::set<std::string> out_of_use;
    uint64_t version = 1;
  };

  bool MayStart(const Waiter& waiter, const Share& share, Instant start) const;
  Span LengthAt(const Waiter& waiter, const std::string& site) const;
  Span TailOf(const Waiter& waiter, const Share& share) const;
  std::vector<BookedPart> PartsOf(const Waiter& waiter, const Share& share, Instant start) const;
  PlacingRoom RoomAt(const Waiter& waiter, const Share& share, Instant second) const;
  std::vector<Placing> WithoutBreach(const Waiter& waiter, const Share& share,
                                     const std::vector<BookedPart>& parts,
                                     std::vector<Placing> placings, Instant second);

  CheckedWorld world_;
  std::map<std::string, Site> sites_;
};

}  // namespace muster::sim
