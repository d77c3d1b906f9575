// Finds where a waiting request could run now: takes the bookings of each site from its own writes,
// tries every placing of the parts beside them, and lets the independent plan checker reject
// placings that break a rule.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/booked_site.h"
#include "sim/checkers/partitions.h"
#include "sim/checkers/placing.h"
#include "sim/checkers/set_choices.h"
#include "sim/checkers/waiting.h"

namespace muster::sim {

// An interactive request that has a place is not moved to a start nearer than this: its user may be
// away.
inline constexpr Span kInteractiveNotice{15 * 60};

// A subset of a request's parts at one site, as bits: bit 0 is the first part.
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
  // What others have booked on a shared machine is booked here, too.
  void OnOutside(const std::string& site, const driver::Outside& outside);
  // Whether the site can tell only a bound.
  bool OnlyBounds(const std::string& site) const { return !sites_.at(site).options.facts.firm; }
  // Increases with every write of the site.
  uint64_t VersionOf(const std::string& site) const { return sites_.at(site).version; }
  std::vector<std::string> Sites() const;

  // The shares that the request allows at the site. With `apart`: single parts only. With more than
  // four parts: single parts and all of them. For a job of the site's own users, or one inside of a
  // reservation: all parts only.
  std::vector<Share> SharesAt(const Waiter& waiter, const std::string& site) const;
  // Every placing of the share that could begin now, where `second` is the next second: beside all
  // live bookings except the request's own, with turnover and tail, and without breaking a rule.
  std::vector<Placing> PlacingsOf(const Waiter& waiter, const Share& share, Instant second);
  // When the share would start, and when its last booking would end at the latest, with its tail.
  Instant StartOf(const Waiter& waiter, const Share& share, Instant second) const;
  Instant EndOf(const Waiter& waiter, const Share& share, Instant second) const;
  // How much later than now the request may start there for the sake of its node sets.
  Span WaitOf(const Waiter& waiter, const std::string& site) const;
  // When the last booking of the federation at the site ends, the waiter's own bookings left out.
  Instant PlanEnd(const Waiter& waiter, const std::string& site) const;

 private:
  // Whether the site, beyond its balance, may keep its room from work of this user.
  bool MayKeepItsRoom(const std::string& user, const std::string& site) const;
  struct Site {
    Site(const site::Options& options, const Layouts& layouts);
    site::Options options;
    BookedSite booked;
    PlanFacts facts;
    PlacingSite placing;
    Span slack;
    std::set<std::string> out_of_use;
    std::set<std::string> lost;  // as the machine says
    std::map<uint64_t, driver::OutsideBooking> outside;
    uint64_t version = 1;
  };

  Instant EndOfReservation(RequestId reservation, const std::string& site) const;
  bool MayStart(const Waiter& waiter, const Share& share, Instant start) const;
  // A choice of nodes and lengths for the parts of a share.
  struct Choice {
    std::vector<BookedPart> parts;
    std::vector<uint32_t> within;
  };
  // Length on nodes of the reference speed, and the longest that the share may be booked for.
  Span LengthAt(const Waiter& waiter, const std::string& site) const;
  Span LongestAt(const Waiter& waiter, const Share& share) const;
  // `has`: what each node has for the request.
  std::vector<std::vector<NodeChoice>> ChoicesAt(const Waiter& waiter, const Share& share,
                                                 const std::vector<ResourceSet>& has) const;
  Span TailOf(const Waiter& waiter, const Share& share) const;
  Choice ChoiceOf(const Waiter& waiter, const Share& share, Instant start,
                  const std::vector<NodeChoice>& nodes) const;
  PlacingRoom RoomAt(const Waiter& waiter, const Share& share, Instant second) const;
  std::vector<Placing> WithoutBreach(const Waiter& waiter, const Share& share,
                                     const std::vector<BookedPart>& parts,
                                     std::vector<Placing> placings, Instant second);

  CheckedWorld world_;
  std::map<std::string, Site> sites_;
};

}  // namespace muster::sim
