// The inside of a site's core. Its methods are spread over files by what they are about: orders.cc
// (the meta's word), life.cc (what time makes due), moves.cc (why a booking moves), runs.cc (the
// driver's word), running.cc and resizing.cc (what changes of a part that runs), losses.cc (nodes
// that are lost), link.cc and feed_out.cc (the link), steer.cc (operators), views.cc and
// inspections.cc (questions); clients.cc and local_*.cc (users of the site itself).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "site/core.h"
#include "site/holds/agenda.h"
#include "site/holds/backfilling.h"
#include "site/holds/kept_room.h"
#include "site/link/overlays.h"
#include "site/nodes/node_use.h"
#include "site/nodes/ports.h"
#include "site/planning/planner.h"
#include "site/planning/stranding.h"
#include "site/planning/systems.h"
#include "verifier/hold_table.h"
#include "verifier/ledger.h"
#include "verifier/part_table.h"
#include "verifier/plan_clock.h"
#include "verifier/site_link_site.h"

namespace muster::site {

inline constexpr size_t kCollectedPerTurn = 1000;  // closed holds deleted: bounds a batch
inline constexpr size_t kOffersPerTurn = 16;
inline constexpr BootSpan kOfferApart = Seconds(10);       // per hold, protocol.md section 2
inline constexpr BootSpan kOfferAtOnceApart = Seconds(1);  // of starts within kOfferAtOnce
inline constexpr Span kOfferAtOnce{60};                    // behind the lead
inline constexpr BootSpan kOverrunLook = Seconds(5);  // how often an unclean due part is looked at
inline constexpr Span kOverrunBooked{10};             // a predecessor's booking grows by this
inline constexpr uint32_t kStartTries = 3;            // of one part, then H16
inline constexpr BootSpan kPortsPause = Seconds(1);   // until ports are looked for again
inline constexpr size_t kListingPageBytes = size_t{1} << 20;
inline constexpr size_t kReportsPerTurn = 10;
inline constexpr size_t kInspectionsOpen = 1024;
inline constexpr size_t kBookingRows = 20000;  // of one view: its message stays below the limit

using Sets = std::vector<std::vector<schemas::ChunkPlace>>;  // of a part, by chunk

struct Core::State {
  State(Options options, verifier::Ledger ledger, Now now);
  State(const State& other);

  // --- core.cc: a turn
  void Begin(Now now);
  void Take(const Event& event);
  void Settle();  // looks at all touched holds until none is left
  void Finish();
  void Rebuild();    // volatile parts, from the ledger
  void FirstTurn();  // what a restart makes due
  void FindTokens();
  BootInstant NextTurn() const;

  // --- orders.cc
  void OnOrder(const schemas::HoldOrder& order);
  void OnOrder(const schemas::PrepareOrder& order);
  void OnOrder(const schemas::CommitOrder& order);
  void OnOrder(const schemas::PermitOrder& order);
  void OnOrder(const schemas::ReleaseOrder& order);
  std::optional<schemas::VerdictEntry> OverCap(const schemas::HoldOrder& order, bool there) const;
  std::optional<schemas::VerdictEntry> BookNew(const schemas::HoldOrder& order);
  std::optional<schemas::VerdictEntry> KeepHeld(const schemas::HoldOrder& order);
  void GiveBackTail(const Fence& fence);
  void Tombstone(const schemas::ReleaseOrder& order);
  const schemas::HoldRecord* Replaced(const schemas::HoldOrder& order) const;
  bool ReplacedHasStarted(const schemas::HoldRecord& hold) const;
  void CloseReplaced(const Fence& fence);
  void ArmDeadline(schemas::HoldRecord& hold) const;
  void AnswerPresent(const Fence& fence, const verifier::HoldStep& step);
  void AnswerCountered(const Fence& fence, schemas::VerdictEntry verdict);
  verifier::HoldGuards GuardsOf(const schemas::HoldRecord& hold) const;

  // --- life.cc
  void Advance(const Fence& fence);
  bool CloseIfPast(const Fence& fence);
  void AdvancePart(const Fence& fence, uint32_t index);
  bool TakePorts(std::vector<schemas::PartRecord>& parts);
  void StartPart(const Fence& fence, uint32_t index);
  void Schedule(const Fence& fence);
  Moment OverdueAt(const schemas::HoldRecord& hold, Moment start) const;
  std::optional<Moment> NextOfPart(const schemas::HoldRecord& hold, size_t at) const;
  void Close(const Fence& fence, schemas::ClosedAs as, schemas::Cause cause);
  void SetPart(const Fence& fence, uint32_t index, const verifier::PartStep& step, Moment at);
  void ReportHold(const Fence& fence);
  void StopParts(const Fence& fence, const schemas::Cause& cause);
  void FailPart(const Fence& fence, uint32_t index, std::string why);
  void IndexMovable(const Fence& fence);

  // --- moves.cc
  void MoveForCause(const Fence& fence, schemas::Cause cause, bool places_lost);
  void Drop(const Fence& fence, schemas::Cause cause, const IntervalSet& starts);
  void Remap(const Fence& fence, const verifier::Booked& booked);
  void OnOverrun(const Fence& fence, uint32_t index);
  void ExtendBooking(const PartKey& part);
  void Backfill();
  Backfilling::Came TryEarlier(const Fence& fence, bool at_once);
  void MoveEarlier(const Fence& fence, const verifier::Booked& booked);
  void MoveLater(const Fence& fence, const verifier::Booked& booked, schemas::Cause cause);
  verifier::Demand DemandNow(const schemas::HoldRecord& hold) const;
  void RestoreBooking(const schemas::HoldRecord& hold);
  void RestoreIn(SitePlanner& where, const schemas::HoldRecord& hold) const;
  schemas::Cause Own(schemas::CauseCode code, std::string node = {}) const;

  // --- offers.cc: earlier starts that only several sites together can have
  void MakeOffers();
  void OffersAgain(BootInstant at);
  Interval OfferWindow(const schemas::HoldRecord& hold, bool at_once) const;
  std::vector<Fence> MayKeepRoom() const;
  void KeepRoomBefore(const Fence& fence, std::vector<Fence>& offerable, std::vector<Fence>& kept);

  // --- runs.cc
  void On(const driver::PartStarted& event);
  void On(const driver::PartNotStarted& event);
  void On(const driver::PartEnding& event);
  void On(const driver::PartEnded& event);
  void On(const driver::PartFound& event);
  void On(const driver::OutputRead& event);
  void EndPart(const PartKey& part, const driver::PartEnded& end, verifier::PartEvent event);
  void StartFailed(const PartKey& part, const std::string& why, schemas::CauseCode cause,
                   bool late);
  void BeganLate(const PartKey& part, schemas::CauseCode code);
  const PartKey* ByToken(const std::string& token) const;

  // --- link.cc
  void Hear(const schemas::ToSite& message);
  bool Acceptable(const schemas::ToSite& message);
  void OnBody(const schemas::ToSite& m, const schemas::Welcome& welcome);
  void OnBody(const schemas::ToSite& m, const schemas::LinkRefused& refused);
  void OnBody(const schemas::ToSite& m, const schemas::Beat& beat);
  void OnBody(const schemas::ToSite& m, const schemas::Propose& propose);
  void OnBody(const schemas::ToSite& m, const schemas::Orders& orders);
  void OnBody(const schemas::ToSite& m, const schemas::Resync& resync);
  void OnBody(const schemas::ToSite& m, const schemas::Inspect& inspect);
  void OnBody(const schemas::ToSite& m, const schemas::Steer& steer);
  void Nonsense(const std::string& what);
  void TickLink();
  BootSpan HeartbeatPeriod() const;
  schemas::ClockStamps Stamps() const;
  void Say(decltype(schemas::ToMeta::body) body, MessageNumber answers = {});
  // --- feed_out.cc
  void RestartFeed(const schemas::FeedPosition& position);
  void StartListing();
  void SendFeed();
  void SendListingPage();

  // --- steer.cc
  schemas::Steered Carry(const schemas::Steer& steer);
  std::string Drain(const schemas::Steer& steer);
  void GiveUpLost(const std::string& name);
  std::string Resume(const schemas::Steer& steer);
  struct Displaced {
    size_t moved = 0;
    size_t lost = 0;
  };
  // What is booked there and has not started; the cause gets the node of each.
  Displaced MoveFrom(const std::vector<std::string>& nodes, const schemas::Cause& cause);
  void LeaveDrained(const Fence& fence);
  void SomethingIsFree();  // earlier slots and offers may be had

  // --- losses.cc: nodes that are lost, the time-outs that lose them, who gives way then
  void TimeOuts(const Fence& fence);
  std::optional<Moment> NextTimeOut(const schemas::HoldRecord& hold) const;
  void NodeLost(const std::string& node, const std::string& why);
  void NodesBack();
  void KeepSizes();
  void LeaveWhatIsLost();
  schemas::Cause LostOf(const Stranding& stranding) const;
  bool IsDown(const std::string& node) const;  // set down by the site itself
  bool TimedOut(const PartKey& part) const;
  std::optional<verifier::Booked> Displace(const Fence& fence, const schemas::Cause& cause);
  std::vector<Fence> LessUrgent(const Fence& fence) const;

  // --- running.cc: parts that run
  // Their results have no order's number.
  schemas::Steered CarryRunning(const schemas::Steer& steer);
  schemas::Steered ExtendPart(const PartKey& part, Span span, bool bounded);
  using Moves = std::vector<std::pair<Fence, verifier::Booked>>;
  struct InTheWay {
    Instant at;       // from then on there is no room
    std::string job;  // because of this one; empty: of a limit
  };
  std::variant<Moves, InTheWay> MakeRoom(SitePlanner& trial, const PartKey& part,
                                         Instant until) const;
  std::optional<verifier::Booked> KeepPromise(SitePlanner& trial, const Fence& fence) const;
  bool MayMove(const Fence& fence) const;
  Instant LatestEnd(const PartKey& part, InTheWay blocked) const;
  void Follow(const Fence& fence, const verifier::Booked& booked);
  void ReportRunning(const PartKey& part);
  void TellDriverAgain(const PartKey& part);
  // --- resizing.cc: malleable parts
  schemas::Steered ResizePart(const PartKey& part, const std::vector<uint64_t>& counts);
  std::variant<Sets, std::string> Grow(const PartKey& part, Sets sets,
                                       std::vector<uint64_t> added) const;
  std::string WhyNotInside(schemas::HoldRecord hold, uint32_t index,
                           const std::vector<uint64_t>& added) const;
  std::set<std::string> NodesForMore(const schemas::HoldRecord& hold, uint32_t index,
                                     const std::set<std::string>& before) const;
  std::variant<schemas::PartPlace, std::string> AskForMore(
      SitePlanner& trial, const schemas::HoldRecord& hold, uint32_t index,
      const std::vector<uint64_t>& added) const;

  // --- reservations.cc: systems of their own, and what is inside
  void OpenSystem(const Fence& fence);
  std::vector<Fence> InsideOf(RequestId reservation) const;
  // The newest live hold of the reservation with a lesser fence.
  std::optional<Fence> NewestOf(RequestId reservation, const Fence& before) const;
  ResourceSet TakenInside(RequestId reservation, const Node& node) const;
  void FitInside(const Fence& fence, const Reserved& reserved);
  void CloseSystem(const schemas::HoldRecord& reservation, bool ended);
  bool ReservationIsOpen(const schemas::HoldRecord& hold) const;
  void AdvanceReservation(const Fence& fence, uint32_t index);
  void EndReserved(const Fence& fence, uint32_t index, schemas::PartEnd end);
  std::optional<Moment> NextOfReservation(const schemas::HoldRecord& hold, size_t at) const;
  schemas::Steered Share(const schemas::Steer& steer);
  schemas::MovesView TryMoves(const schemas::Steer& steer) const;
  // --- cheaper.cc
  std::vector<schemas::CheaperWay> CheaperWays(const schemas::ProposalEntry& entry,
                                               Instant start) const;

  // --- views.cc
  schemas::BookingsView Bookings() const;
  // --- inspections.cc
  void AskForOutput(const schemas::ToSite& m, const schemas::Inspect& inspect);
  schemas::NodesView Nodes() const;
  schemas::SlotsView Slots(const schemas::ProposalEntry& entry, Instant until,
                           bool federated = true) const;
  bool SoonerUngrouped(const schemas::ProposalEntry& entry,
                       const schemas::VerdictEntry& verdict) const;
  schemas::ExplainView Explain(const schemas::ProposalEntry& entry, Instant before) const;
  schemas::Reason ReasonOf(const plan::Obstacle& obstacle) const;
  std::vector<std::string> JobsOn(const std::string& node, const plan::NodeNow& planned) const;

  // --- clients.cc: users of the site itself
  void Hear(const ClientSays& says);
  void Asked(const ClientLine& line, const schemas::Cancel& cancel);
  void Asked(const ClientLine& line, const schemas::Act& act);
  void Asked(const ClientLine& line, const schemas::Follow& follow);
  void Tell(const ClientLine& line, decltype(schemas::ToClient::body) body);
  void TellFollower(const ClientLine& line, const std::vector<uint64_t>& jobs);
  void TellFollowers();
  const LocalUser* UserOf(const std::string& name) const;
  // With the groups the file lists; those that count now; when something of theirs may start.
  Member MemberOf(const std::string& user) const;
  std::vector<std::string> GroupsNow(const std::string& user) const;
  IntervalSet StartsOfUser(const std::string& user, const IntervalSet& starts) const;
  bool IsOperator(const std::string& name) const;
  size_t BookedOn(const std::vector<std::string>& nodes) const;
  schemas::Refused NoSuchLocal(uint64_t number, std::string changed) const;
  schemas::Refused NotYours(const std::string& job, const std::string& owner,
                            const std::string& user, std::string changed) const;

  // --- local_requests.cc: what they ask for
  void Asked(const ClientLine& line, const schemas::Submit& submit);
  void Asked(const ClientLine& line, const schemas::Ask& ask);
  void GetSlots(const ClientLine& line, const schemas::Get& get);
  schemas::RequestSpec WithValues(schemas::RequestSpec spec, const std::string& user) const;
  schemas::ProposalEntry LocalEntry(const schemas::RequestSpec& spec,
                                    const std::string& user) const;
  std::optional<schemas::Refused> CheckLocal(const schemas::RequestSpec& spec,
                                             bool with_payload) const;
  schemas::Refused Unplaced(const schemas::VerdictEntry& verdict) const;
  schemas::HoldOrder LocalOrder(const schemas::LocalRecord& job, const Fence& fence,
                                schemas::Payload payload) const;
  void PermitLocal(schemas::HoldRecord& hold, const schemas::RequestSpec& spec) const;
  std::optional<schemas::VerdictEntry> PlaceLocal(const schemas::LocalRecord& job,
                                                  const Fence& fence, schemas::Payload payload);

  // --- local_jobs.cc: their jobs
  const schemas::LocalRecord* FindLocal(uint64_t number) const;
  void NoteLocal(uint64_t number, std::string code, std::string text, std::string part = "");
  schemas::Figures LocalFigures(const schemas::RequestSpec& spec, Instant start) const;
  void TellLocalFigures(uint64_t number, schemas::Figures figures,
                        std::optional<schemas::Cause> cause);
  void Report(const Fence& fence, decltype(schemas::Change::what) what);
  void OnLocalChange(const schemas::HoldRecord& hold, const decltype(schemas::Change::what)& what);
  void OnLocalPart(const schemas::HoldRecord& hold, const schemas::PartChanged& part);
  std::string CancelLocal(uint64_t number, const std::string& user);
  void EndLocal(uint64_t number, schemas::Outcome outcome, std::string text);
  void EndOrWait(const schemas::HoldRecord& hold);
  void SettleLocals();
  void PlaceWaiting();
  void ForgetLocals();
  std::optional<BootInstant> NextLocal() const;
  void RebuildLocals();

  // --- local_alter.cc: and what becomes another one
  using Altered = std::variant<std::string, schemas::Refused>;  // what was changed, or why not
  void Alter(const ClientLine& line, const schemas::Act& act);
  Altered AlterLocal(const ClientLine& line, const schemas::Act& act, uint64_t number,
                     std::vector<schemas::MoveRow>& moves);
  Altered AlterRunning(const schemas::RequestSpec& before, const schemas::RequestSpec& next,
                       const Fence& fence, const std::string& user, bool only_try);
  Altered AlterPlaced(const ClientLine& line, const Fence& fence, const schemas::RequestSpec& next,
                      const schemas::Act& act, std::vector<schemas::MoveRow>& moves);
  schemas::Cause AskedBy(const std::string& user) const;
  schemas::RequestSpec SpecNow(const schemas::LocalRecord& job) const;

  // --- local_views.cc: what they are shown
  void Asked(const ClientLine& line, const schemas::Get& get);
  void GetJobs(const ClientLine& line, const schemas::Get& get);
  void GetJob(const ClientLine& line, const schemas::Get& get);
  void GetOutput(const ClientLine& line, const schemas::Get& get);
  bool TellOutput(const driver::OutputRead& read);
  schemas::Rows NewRows() const;
  std::vector<schemas::PartView> PartsShown(const schemas::HoldRecord& hold) const;
  schemas::JobView LocalJob(const schemas::LocalRecord& job, bool whole) const;
  schemas::JobView FederationJob(const schemas::HoldRecord& hold) const;
  const schemas::HoldRecord* HoldOf(RequestId request) const;
  schemas::LocalView LocalJobs(const std::vector<uint64_t>& numbers) const;
  schemas::SiteView SiteNow() const;

  // --- small questions
  const schemas::ProtocolValues& values() const;
  Moment now() const { return clock.Read(); }
  Instant now_floor() const { return clock.Read().Floor(); }

  Options options;
  verifier::Ledger ledger;
  SitePlanner plan;
  Overlays overlays;
  verifier::PlanClock clock;
  verifier::SiteLink link;
  NodeUse node_use;
  Ports ports;
  Agenda agenda;

  // When the meta was last told of earlier starts: of any; of late ones too.
  struct OfferTimes {
    std::optional<BootInstant> any;
    std::optional<BootInstant> late;
  };
  // Volatile, of live holds.
  struct Live {
    std::map<uint32_t, Moment> retry_at;  // parts whose start failed: not before
    std::map<uint32_t, Moment> look_at;   // parts whose nodes are not clean: looked at again then
    std::map<uint32_t, Instant> booked_until;   // parts that overran: what the plan was told
    std::map<uint32_t, Moment> changing_since;  // parts that are starting or ending
    std::set<uint32_t> timed_out;               // of those, the ones that took too long
    OfferTimes offered;
    std::optional<schemas::Cause> drained;  // HELD on nodes that were drained hard: moves next
    schemas::CauseCode late_cause = schemas::CauseCode::kSiteDown;  // of a start that comes late
  };
  std::map<Fence, Live> live;
  std::map<std::string, PartKey> tokens;  // of parts that may have processes
  std::set<Fence> touched;
  std::set<Fence> waiting_for_nodes;  // a part is due or to be ready, but its nodes are not clean
  Backfilling backfilling;            // of one member, bound, not started
  std::set<Fence> joint;              // several members, COMMITTED, not started
  KeptRoom kept_room;                 // of these, a moment, from who is less urgent
  bool nodes_may_be_back = true;      // a part has started or is gone
  size_t ready_of_several = 0;        // READY parts of n > 1
  std::optional<Fence> offers_from;
  std::optional<BootInstant> offers_again;  // one was passed over, as it had an offer just before

  Locals locals;

  // Link.
  bool welcomed = false;              // by a meta, to this incarnation
  Revision sent;                      // the feed up to here was sent on this link
  std::optional<Fence> listing_from;  // a listing goes on here
  schemas::FeedPosition listing_at;
  std::optional<BootInstant> resynced_at;
  PlanRevision capacity_known;  // by the meta
  schemas::ClockStamps echo;    // `echoed` and `received` of the last beat
  MessageNumber numbered;
  std::map<uint64_t, MessageNumber> inspections;  // output reads under way
  std::vector<schemas::Answer> answers;           // of the orders message being taken
  bool disk_low = false;
  bool first_turn = true;
  uint64_t nonsense = 0;

  // Of this turn.
  Now turn;
  Effects effects;

  std::set<std::string> finding;  // tokens of before: asked for, and not answered yet
};

// The change that shows a hold as it is.
schemas::HoldChanged HoldChangedOf(const schemas::HoldRecord& hold);
verifier::Demand DemandOf(const schemas::HoldOrder& order);
const schemas::PartDemand& DemandOf(const schemas::HoldRecord& hold, uint32_t index);
schemas::PartRecord& PartOf(schemas::HoldRecord& hold, uint32_t index);
const schemas::PartRecord& PartOf(const schemas::HoldRecord& hold, uint32_t index);
std::string LabelOf(const schemas::HoldOrder& order);
std::string ShownAs(const schemas::HoldOrder& order, uint32_t index);  // "42", of several: "42.1"
bool OneMember(const schemas::HoldRecord& hold);
// How long the part may run: as ordered and what it was extended by.
Span RunTime(const schemas::HoldRecord& hold, uint32_t index);
schemas::PartBooking BookingOf(const schemas::PartRecord& part);
// Sets of each of its chunks that it has now.
std::vector<uint64_t> CountsOf(const schemas::PartRecord& part, const schemas::PartDemand& demand);
// How long after its start the permit of a hold may still come without moving it: what it has
// booked for that (the tail); 0 of one that starts by itself.
Span PermitWait(const schemas::HoldRecord& hold);
bool HasStarted(const schemas::HoldRecord& hold);  // a part is STARTING or beyond
bool AllEnded(const schemas::HoldRecord& hold);
bool IsLive(const schemas::HoldRecord& hold);
bool Reserves(const schemas::HoldRecord& hold);    // it starts nothing: site/holds/reservations.cc
bool IsStopping(const schemas::HoldRecord& hold);  // H13: released, processes not gone yet

}  // namespace muster::site
