// Scripted sites around the meta's core: small machines that answer as the tables of protocol.md
// section 3.1 say, or as a test tells them to. After every turn a core rebuilt from the records is
// compared with the live one (G7). Unit tests (meta/core_fixture.h) and scenario texts share it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "meta/core.h"

namespace muster::scenario {

inline constexpr int64_t kBegin = 1'700'000'000;

// A site of flat, endless room: every hold is granted at its first allowed start, unless told
// otherwise.
class FakeSite {
 public:
  explicit FakeSite(std::string name) : name_(std::move(name)) {}

  std::string name_;
  Incarnation incarnation{1};
  schemas::FeedPosition feed;
  std::vector<schemas::Change> changes;  // all, in order
  std::map<Fence, schemas::HoldOrder> orders;
  std::map<Fence, schemas::HoldState> states;
  std::map<Fence, schemas::Permit> permits;
  std::vector<schemas::ReleaseOrder> releases;
  std::map<Fence, schemas::Cause> causes;  // on record there, told in listings
  bool cut = false;                        // neither hears nor says anything
  bool disk_low = false;                   // and says so with its heartbeats
  std::vector<schemas::Steer> steers;
  std::vector<schemas::MoveRow> moves;  // what any order of an operator would move
  bool loses_releases = false;          // hears no release
  bool refuses_steers = false;          // answers operators' orders with a refusal
  bool mute_steers = false;             // hears operators' orders and does not answer
  bool mute_holds = false;              // hears creating orders and does not answer
  bool mute_listings = false;           // hears that it is to list all and does not answer
  std::optional<IntervalSet> counter;   // the next creating order is countered with these
  Instant not_before;                   // first start it grants
  bool firm = true;                     // what it books stays free
  uint32_t proposals = 0;
  std::optional<schemas::VerdictEntry> verdict;  // instead of its own
  PlanRevision plan{1};
  std::deque<Instant> in_order;             // for the next tentative entries; else unanswered
  std::vector<schemas::Propose> tentative;  // tentative proposals it was asked
  bool forgets_overlays = false;
  std::optional<int64_t> node_speed;  // of all its nodes, in thousandths; none: the reference
  // If set, `judges` gives the verdict on every entry instead; `explains` answers `explain`.
  std::function<schemas::VerdictEntry(const schemas::ProposalEntry&)> judges;
  std::function<schemas::ExplainView(const schemas::Inspect&)> explains;
  std::vector<std::string> capabilities;  // that it says it has
  // What it shows of its order and shares; the kinds of inspections that asked for them.
  std::vector<Fence> moves_first;
  std::vector<schemas::RankRow> ranks;
  std::vector<schemas::ShareRow> shares;
  std::vector<schemas::InspectKind> inspected;

  schemas::Capacity Machine() const;
};

// Three sites, two users and an operator; time passes only by Advance.
class ScriptedFederation {
 protected:
  // What becomes of a turn: a daemon may die before its batch is written, or before it sends.
  enum class Fate { kLives, kDiesUnwritten, kDiesUnsent };

  virtual ~ScriptedFederation() = default;
  virtual Fate FateOf(const meta::Effects&) { return Fate::kLives; }
  // Asked is called before a turn's effects are carried out, Said before the core hears a message.
  virtual void Asked(const meta::Effects&, Fate) {}
  virtual void Said(const FakeSite&, const schemas::ToMeta&) {}

  static meta::Options TestOptions();

  void Start();
  // One turn, its batch stored, its messages delivered. Nothing while the daemon is dead.
  void Turn(std::vector<meta::Event> events);
  // A core rebuilt from the store is in the same state. Without a write it is the one of before.
  void CheckRebuilt(bool wrote);
  // Delivers messages both ways until nothing is under way.
  void Settle();
  void Advance(int64_t milliseconds);

  // REQUIRES: there is one of that name.
  FakeSite& Of(const std::string& name);
  void Say(FakeSite& site, decltype(schemas::ToMeta::body) body);
  void Beat(FakeSite& site);
  void Dial(FakeSite& site);
  void DialAll();

  void Change(FakeSite& site, const Fence& fence, decltype(schemas::Change::what) what);
  void Become(FakeSite& site, const Fence& fence, schemas::HoldState state,
              schemas::ClosedAs as = schemas::ClosedAs::kNotClosed, schemas::Cause cause = {});
  void PartIs(FakeSite& site, const Fence& fence, uint32_t index, schemas::PartState state,
              schemas::PartEnd end = {});
  // All parts of a permitted hold start; later they end with `code`, and the hold closes.
  void Run(FakeSite& site, const Fence& fence);
  void End(FakeSite& site, const Fence& fence, int code);
  void Ready(FakeSite& site, const Fence& fence);

  // H3, H9: what is replaced closes in the write of the commit.
  void Commit(FakeSite& site, const schemas::HoldOrder& order, schemas::HoldState state);
  void Create(FakeSite& site, const schemas::HoldOrder& order);
  void Permit(FakeSite& site, const schemas::PermitOrder& permit);
  void Release(FakeSite& site, const schemas::ReleaseOrder& release);
  void Obey(FakeSite& site, const schemas::Order& order);
  void Hear(FakeSite& site, const schemas::ToSite& m);
  void Answer(FakeSite& site, const schemas::Propose& propose);
  void Answer(FakeSite& site, const schemas::Inspect& inspect);
  void Replay(FakeSite& site, uint64_t from);
  void ListAll(FakeSite& site);
  static schemas::VerdictEntry InOrder(FakeSite& site, const schemas::ProposalEntry& entry);
  schemas::VerdictEntry Judge(const FakeSite& site, const schemas::ProposalEntry& entry) const;
  static std::string AttemptKeyText(const Fence& fence);

  meta::Options options_ = TestOptions();
  Now now_{BootInstant{1000}, Moment{kBegin * 1000}};
  std::map<std::string, schemas::MetaRecord> store_;
  std::optional<Digest> rebuilt_;  // of the last core that was rebuilt from the store
  std::unique_ptr<meta::Core> core_;
  std::deque<FakeSite> sites_ = {FakeSite("hills"), FakeSite("lakes"), FakeSite("woods")};
  std::deque<meta::SiteMessage> to_sites_;
  std::vector<meta::ClientAnswer> answers_;
  std::vector<std::string> notes_;
  std::optional<BootInstant> next_;
  std::map<std::pair<std::string, Fence>, Instant> starts_;
  std::set<std::pair<std::string, Fence>> started_;
  uint64_t number_ = 0;
  bool entropy_ = true;
  bool connected_ = false;
  std::optional<schemas::Report> one_write_;  // being made: its changes travel as one report
};

}  // namespace muster::scenario
