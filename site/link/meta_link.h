// The room of the link to the meta: what is heard and in which order it is checked, hello,
// heartbeats, the feed and its listings, verdicts. protocol.md sections 0.4, 2, 3.4, 6, 7.5, 8.
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
inline constexpr size_t kReadingsOpen = 1024;  // of output, for the meta and for the site's users
// Output is read for the meta under its inspections' numbers, which lie below this; for the site's
// own clients under those above.
inline constexpr uint64_t kFirstReading = uint64_t{1} << 63;

// Invariants: nothing is taken before a welcome to this incarnation; what was sent of the feed is
// never behind what the meta has acknowledged.
class MetaLink : public Holds {
 public:
  MetaLink(Options told, verifier::Ledger ledger, Now now);

  bool LinkIsUp() const { return link_.up(); }

  // Takes a message, or says in a note why not. Returns an inspection that is to be answered by
  // Inspected from what is known here; else null. It points into the message.
  const schemas::Inspect* Hear(const schemas::ToSite& message);
  void Inspected(const schemas::ToSite& message, decltype(schemas::View::what) what);
  // Output that the driver has read, if it is for the meta.
  void TellOutput(const driver::OutputRead& read);
  void Say(decltype(schemas::ToMeta::body) body, MessageNumber answers = {});

  // The end of a turn, in this order: plans that nobody can continue any more are forgotten,
  // reports leave, and then a heartbeat, which names the position that they lead to.
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
  const schemas::Inspect* OnInspect(const schemas::ToSite& m, const schemas::Inspect& inspect);
  void AskForOutput(const schemas::ToSite& m, const schemas::Inspect& inspect);
  void Tick();
  BootSpan HeartbeatPeriod() const;
  schemas::ClockStamps Stamps() const;
  // --- feed_out.cc
  void RestartFeed(const schemas::FeedPosition& position);
  void StartListing();
  void SendFeed();
  void SendListingPage();

  verifier::SiteLink link_;
  bool welcomed_ = false;              // by a meta, to this incarnation
  Revision sent_;                      // the feed up to here was sent on this link
  std::optional<Fence> listing_from_;  // a listing goes on here
  schemas::FeedPosition listing_at_;
  std::optional<BootInstant> resynced_at_;
  PlanRevision capacity_known_;  // by the meta
  schemas::ClockStamps echo_;    // `echoed` and `received` of the last beat
  MessageNumber numbered_;
  std::map<uint64_t, MessageNumber> readings_;  // of output, under way: by inspection
  TentativePlans tentative_;
};

}  // namespace muster::site
