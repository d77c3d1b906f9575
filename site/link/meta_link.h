// The room for the link to the meta: receiving and checking messages, hello, heartbeats, the feed
// and its listings, verdicts. protocol.md sections 0.4, 2, 3.4, 6, 7.5, 8.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "site/holds/holds.h"
#include "site/link/tentative_plans.h"
#include "verifier/site_link_site.h"

namespace muster::site {

inline constexpr size_t kListingPageBytes = size_t{1} << 20;
inline constexpr size_t kReportsPerTurn = 10;
inline constexpr size_t kReadingsOpen = 1024;  // reads of output; for meta and local users each
// Numbers of reads of output: for the meta those of its inspections, which are below this; for the
// site's own clients from this on.
inline constexpr uint64_t kFirstReading = uint64_t{1} << 63;

// Invariants: no message counts before a welcome to this incarnation; what was sent of the feed is
// never behind what the meta has acknowledged.
class MetaLink : public Holds {
 public:
  MetaLink(Options told, verifier::Ledger ledger, Now now);

  bool LinkIsUp() const { return link_.up(); }

  // Handles a message, or notes why it is ignored. Returns an inspection that the caller has to
  // answer with Inspected, else null; it points into the message.
  const schemas::Inspect* Hear(const schemas::ToSite& message);
  void Inspected(const schemas::ToSite& message, decltype(schemas::View::what) what);
  // Passes on output that the driver has read, if the meta asked for it.
  void TellOutput(const driver::OutputRead& read);
  void Say(decltype(schemas::ToMeta::body) body, MessageNumber answers = {});

  // Ends a turn: drops tentative plans that can no longer be continued, sends reports, and then a
  // heartbeat with the feed position that they reach.
  void EndTurn();
  // When the link has something to do next.
  BootInstant NextOfLink() const;

 private:
  bool Acceptable(const schemas::ToSite& message);
  void OnBody(const schemas::ToSite& m, const schemas::Welcome& welcome);
  void OnBody(const schemas::ToSite& m, const schemas::LinkRefused& refused);
  void OnBody(const schemas::ToSite& m, const schemas::Beat& beat);
  void OnBody(const schemas::ToSite& m, const schemas::Propose& propose);
  void OnBody(const schemas::ToSite& m, const schemas::Orders& orders);
  void OnBody(const schemas::ToSite& m, const schemas::Resync& resync);
  void OnBody(const schemas::ToSite& m, const schemas::Steer& steer);
  void OnBody(const schemas::ToSite& m, const schemas::Standing& standing);
  const schemas::Inspect* OnInspect(const schemas::ToSite& m, const schemas::Inspect& inspect);
  void AskForOutput(const schemas::ToSite& m, const schemas::Inspect& inspect);
  void Tick();
  BootSpan HeartbeatPeriod() const;
  schemas::Capacity CapacityNow() const;
  schemas::ClockStamps Stamps() const;
  // --- feed_out.cc
  void RestartFeed(const schemas::FeedPosition& position);
  void StartListing();
  void SendFeed();
  void SendListingPage();

  verifier::SiteLink link_;
  bool welcomed_ = false;              // a meta has welcomed this incarnation
  Revision sent_;                      // the feed was sent up to here on this link
  std::optional<Fence> listing_from_;  // where an unfinished listing continues
  schemas::FeedPosition listing_at_;
  std::optional<BootInstant> resynced_at_;
  PlanRevision capacity_known_;  // plan revision whose capacity the meta knows
  schemas::ClockStamps echo_;    // `echoed` and `received` of the last beat
  MessageNumber numbered_;
  std::map<uint64_t, MessageNumber> readings_;  // output reads under way, by inspection
  TentativePlans tentative_;
};

}  // namespace muster::site
