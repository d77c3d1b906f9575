// What the meta knows, as one copyable value: requests, attempts, sites and the questions that are
// out. The other files of this folder are what happens to it; none keeps state of its own.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "meta/attempts/attempt_table.h"
#include "meta/core.h"
#include "meta/forecast/outcomes.h"
#include "meta/requests/arrays.h"
#include "meta/requests/dependents.h"
#include "meta/requests/request_table.h"
#include "meta/search/move_pass.h"
#include "meta/search/room/committed_plan.h"
#include "meta/search/scheduler.h"
#include "meta/search/verified_run.h"
#include "meta/search/waiting_room.h"
#include "meta/service/event_log.h"
#include "meta/service/explaining.h"
#include "partitioner/meeting.h"
#include "partitioner/rarity.h"
#include "partitioner/shadow.h"
#include "partitioner/verification.h"
#include "schemas/kept.h"
#include "verifier/floor.h"
#include "verifier/mirror.h"
#include "verifier/plan_clock.h"
#include "verifier/prover.h"
#include "verifier/site_link_meta.h"

namespace muster::meta {

// One site: its link, the mirror of its holds, and what it last said of itself. Invariant: what
// differs from the store is due.
class Site {
 public:
  std::string name;
  verifier::SiteLinkMeta link;
  verifier::Mirror mirror;
  std::string connection;  // the welcomed one; empty before the first hello of this epoch
  Moment heard;            // plan time and boot time of its last message
  BootInstant heard_boot;
  std::optional<schemas::Capacity> capacity;
  PlanRevision plan;
  Revision reach;            // SYNCING ends when the mirror has it
  BootInstant resync_after;  // not before
  bool resync_all = false;   // a listing was asked for and has not come
  MessageNumber
      newest_report;  // that brought changes: what was sent before it speaks of an older ledger
  Moment peer_sent;   // to be echoed: its last stamp and when it came
  Moment peer_received;
  bool disk_low = false;
  bool clock_warned = false;
  uint32_t strangers = 0;  // messages of this incarnation by another connection
  partitioner::Shadow shadow;
  room::CommittedPlan committed;
  std::set<Fence> attempts;  // not closed, with a member here
  std::map<Fence, schemas::HoldOrder>
      listed;                    // orders of holds the meta did not know, from a listing
  std::set<Fence> unknown;       // such holds that wait for that listing
  std::set<Fence> unwanted;      // such holds that were told to be released, and are not yet
  BootInstant unwanted_said_at;  // last
  std::optional<schemas::BookingsView> bookings;  // last seen, for a stale plan
  Moment bookings_at;
  std::set<uint64_t> steers;                // orders of operators it has not answered
  std::optional<schemas::NodesView> nodes;  // last seen
  Moment nodes_at;

  bool overdue = false;  // it had kDialWait since the start of this epoch, and did not dial

  Incarnation incarnation() const { return incarnation_; }  // highest heard
  // Given up by an operator, and not heard since.
  const std::optional<Moment>& forgotten() const { return forgotten_; }
  // It said hello: written with this turn.
  void HearAs(Incarnation incarnation) {
    incarnation_ = incarnation;
    forgotten_.reset();
    due_ = true;
  }
  void Forget(Moment at) {
    forgotten_ = at;
    due_ = true;
  }
  // As the store has it: not written again.
  void Restore(const schemas::SiteLinkRecord& record) {
    incarnation_ = record.incarnation;
    forgotten_ = record.forgotten;
    mirror.Restore(record.feed);
  }
  schemas::SiteLinkRecord Stored() const {
    return {name, incarnation_, mirror.position(), forgotten_};
  }
  // True once after what is stored of the link, or the mirror's position, has changed.
  bool TakeDue() {
    const bool moved = mirror.TakeMoved();
    return std::exchange(due_, false) || moved;
  }

  bool Up() const { return link.Up(); }
  // Nothing is to be expected of it; after a start of the meta sites have time to dial first.
  bool Silent() const {
    return link.state() == schemas::SiteState::kSilent ||
           (link.state() == schemas::SiteState::kDown && overdue);
  }
  // Orders reach it: welcomed, and not silent.
  bool Listens() const {
    const schemas::SiteState s = link.state();
    return s == schemas::SiteState::kUp || s == schemas::SiteState::kSyncing ||
           s == schemas::SiteState::kQuarantined;
  }

 private:
  Incarnation incarnation_;
  std::optional<Moment> forgotten_;
  bool due_ = false;
};

// One set of requests of one part each out at the sites.
struct Wave {
  uint64_t owner = 0;
  std::vector<RequestId> requests;                        // by rank
  std::map<std::string, std::vector<RequestId>> entries;  // by site, in proposal order
  std::map<std::string, std::vector<Instant>> asked;      // by site, of each entry
  std::map<RequestId, std::map<std::string, schemas::VerdictEntry>> verdicts;  // by site
  std::set<std::string> out;  // sites that have not answered
};

// A block out at the sites. Entry i of the loop is requests[i] on part_sites[i].
struct Block {
  uint64_t number = 0;
  uint64_t owner = 0;  // of this round's questions
  std::vector<RequestId> requests;
  std::vector<std::vector<std::string>> part_sites;
  std::vector<Instant> asked;  // start of each entry in the first round
  BootInstant began;
  partitioner::Verification loop{{}};
  std::map<std::string, std::vector<size_t>> out;  // sites that have not answered: entries asked
};

// A pass of the gap rule over all that wait in queues: after a release somewhere.
struct GapPass {
  bool running = false;
  bool again = false;  // another release came meanwhile
  std::optional<Rank> passed;
  std::set<std::string> vain;  // shapes for which this pass found no gap
  // Whose gap all sites refused since the last release: users with what they asked for.
  std::set<std::string> refused;
  uint64_t releases = 0;  // so far
};

// A question of a client ("when and where") out at the sites.
struct AskPending {
  std::string user;
  std::string link;
  MessageNumber number;
  schemas::RequestSpec spec;
  std::set<std::string> asked;  // of one part
  std::map<std::string, schemas::VerdictEntry> verdicts;
  std::set<std::string> out;
};

// What only sites know, asked for a client.
struct InspectPending {
  std::string user;
  std::string link;
  MessageNumber number;
  schemas::InspectKind kind = schemas::InspectKind::kBookings;
  std::string part;                 // "42.1", for output
  std::optional<schemas::Act> act;  // kMoves: what is tried, and then done if it may be
  std::vector<std::string> sites;
  std::set<std::string> out;
  std::map<std::string, decltype(schemas::View::what)> views;
  BootInstant until;
};

// A search for a common start that is out at sites: for a request on record, for a way that is
// explained, or for a question.
struct OpenMeeting {
  partitioner::Meeting search;
  std::optional<RequestId> request;
  std::optional<WayAsked> way;
  AskPending ask;             // where there is neither
  std::set<std::string> out;  // sites that have not answered this round
  // By site: entries of those before it, in front of the questions of this round.
  std::map<std::string, size_t> before;
};

// A user who waits until a place for an alteration is found, or a site has changed what runs.
struct AlterPending {
  std::string user;
  std::string link;
  MessageNumber number;
  bool only_try = false;
  bool may_move = false;
  std::vector<RequestId> requests;         // as named
  std::set<RequestId> open;                // not decided yet, elements of arrays too
  std::set<uint64_t> steers;               // orders to sites that have not answered
  std::map<RequestId, std::string> notes;  // what became of each
  std::vector<schemas::Refused> refusals;
  std::vector<schemas::MoveRow> moves;
  BootInstant until;
};

// An operator who waits until the configuration was read again.
struct ReloadPending {
  std::string user;
  std::string link;
  MessageNumber number;
};

struct FollowerKey {
  std::string user;
  std::string link;
  uint64_t number = 0;
  auto operator<=>(const FollowerKey&) const = default;
};
struct Follower {
  std::vector<RequestId> requests;
  BootInstant until;  // without a keep-alive
};

struct Federation {
  explicit Federation(const Now& now) : clock(now), random(0), started(now.boot) {}

  // Only these are heard and asked; a site on record that is listed no more stays in `sites`.
  bool Lists(const std::string& site) const {
    return std::binary_search(site_names.begin(), site_names.end(), site);
  }

  Options options;
  std::vector<std::string> site_names;  // listed, ascending
  std::map<std::string, User> users;
  schemas::KeptOne<schemas::MetaIdentity> identity;
  bool fresh = true;  // no turn of this epoch has ended yet
  verifier::PlanClock clock;
  Random random;
  std::map<std::string, Site> sites;
  RequestTable requests;
  AttemptTable attempts;
  verifier::FenceMint fences;
  verifier::Prover prover;
  partitioner::Rarity rarity;  // of what the sites' nodes have
  WaitingRoom room;
  std::set<std::pair<Instant, RequestId>> windows;  // waiting requests by their last allowed start
  std::set<std::pair<Moment, RequestId>> ended;     // by end: kept for kRecordKeep
  std::set<std::pair<BootInstant, Fence>> attempt_timers;
  std::optional<Wave> wave;
  std::optional<Block> block;
  std::optional<VerifiedRun> verified_run;
  std::vector<LaidOut> laid_out;  // those who wait, in their order, at the starts last found
  uint64_t last_block = 0;
  Scheduler scheduler;
  Outcomes outcomes;
  GapPass gaps;
  MovePass moves_at_once;
  MovePass moves_later;
  std::map<uint64_t, AskPending> asks;
  std::map<uint64_t, OpenMeeting> meetings;  // by the owner of their questions
  std::map<uint64_t, InspectPending> inspections;
  std::map<uint64_t, Explaining> explains;
  std::map<FollowerKey, Follower> followers;
  std::map<RequestId, std::set<FollowerKey>> followed;
  EventLog events;
  std::map<FollowerKey, BootInstant> watchers;  // of events; until when without a keep-alive
  schemas::Kept<uint64_t, schemas::SteerRecord> steers;  // not answered yet
  schemas::Kept<std::string, schemas::KeyRecord> keys;   // that are not as the configuration says
  std::map<std::string, Moment> heard;                   // users, by their last message
  schemas::Kept<uint64_t, schemas::AuditRow> audit;
  std::vector<ReloadPending> reloads;
  std::map<uint64_t, AlterPending> alters;
  // Reservations, by when they are given back, or make their next occurrence.
  std::set<std::pair<Moment, RequestId>> provisional;
  Arrays arrays;
  Dependents dependents;
  std::vector<Secret> secrets;
  bool disk_low = false;
  uint64_t last_owner = 0;  // of questions
  uint64_t last_message = 0;
  uint64_t partial_starts = 0;
  BootInstant started;
};

// How long sites have to dial after a start: the longest back-off, and the heartbeats that make
// SILENT.
inline constexpr BootSpan kDialWait = Seconds(16);

}  // namespace muster::meta
