// Scripted sites around the meta's core: small machines that answer as the tables of protocol.md
// section 3.1 say, or as a test tells them to. After every turn the core is rebuilt from what it
// wrote and compared (G7).
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "meta/core.h"
#include "schemas/canonical.h"

namespace muster::meta {

using schemas::HoldState;
using schemas::Outcome;
using schemas::PartState;
using schemas::RequestState;

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
  bool cut = false;                        // hears and says nothing
  bool disk_low = false;                   // and says so with its heartbeats
  std::vector<schemas::Steer> steers;
  std::vector<schemas::MoveRow> moves;  // what any word of an operator would move
  bool loses_releases = false;          // hears none of them
  bool mute_steers = false;             // hears operators' orders and does not answer
  bool mute_holds = false;              // hears creating orders and does not answer
  bool mute_listings = false;           // hears that it is to list all and does not answer
  std::optional<IntervalSet> counter;   // the next creating order is countered with these
  Instant not_before;                   // first start it grants
  uint32_t proposals = 0;
  std::optional<schemas::VerdictEntry> verdict;  // instead of its own
  PlanRevision plan{1};
  std::deque<Instant> in_order;             // for the next tentative entries; else unanswered
  std::vector<schemas::Propose> tentative;  // that it was asked
  bool forgets_overlays = false;
  // In place of all that, of every entry; and what it says to `explain`.
  std::function<schemas::VerdictEntry(const schemas::ProposalEntry&)> judges;
  std::function<schemas::ExplainView(const schemas::Inspect&)> explains;

  schemas::Capacity Machine() const {
    schemas::Capacity c;
    c.plan = PlanRevision{1};
    c.classes = {{.count = 4, .up = 4, .per_node = {{"ncpus", 4}}}};
    c.profile = {{Instant{0}, {{{"ncpus", 16}}}}};
    c.free_now = {{"ncpus", 16}};
    c.total = {{"ncpus", 16}};
    c.driver = "simulated";
    c.start_slack = Span{1};
    return c;
  }
};

// Three sites, two users and an operator; time passes only by Advance.
class MetaCore : public ::testing::Test {
 protected:
  MetaCore() { Start(); }

  static Options TestOptions() {
    Options o;
    o.federation = "test";
    o.sites = {"hills", "lakes", "woods"};
    o.keys = {{"user:kim", "user", std::string(40, 'a')},
              {"user:root", "operator", std::string(40, 'r')}};
    o.users = {{.name = "kim"}, {.name = "ana"}, {.name = "root", .is_operator = true}};
    return o;
  }

  void Start() {
    std::vector<std::pair<std::string, schemas::MetaRecord>> records(store_.begin(), store_.end());
    core_ = std::make_unique<Core>(*Core::Load(options_, std::move(records), now_));
    Turn({});
  }

  // One turn, its batch stored, its messages delivered.
  void Turn(std::vector<Event> events) {
    Effects e = core_->Step(now_, events);
    for (auto& write : e.writes) {
      if (write.value) {
        store_.insert_or_assign(write.key, std::move(*write.value));
      } else {
        store_.erase(write.key);
      }
    }
    CheckRebuilt();
    for (auto& m : e.to_sites) to_sites_.push_back(std::move(m));
    for (auto& m : e.to_clients) answers_.push_back(std::move(m));
    for (auto& n : e.notes) notes_.push_back(std::move(n));
    next_ = e.next;
    if (e.secrets_wanted > 0 && entropy_) {
      Turn({SecretsDrawn{std::vector<Secret>(e.secrets_wanted)}});
    }
  }

  void CheckRebuilt() {
    std::vector<std::pair<std::string, schemas::MetaRecord>> records(store_.begin(), store_.end());
    absl::StatusOr<Core> copy = Core::Load(options_, std::move(records), now_);
    ASSERT_TRUE(copy.ok()) << copy.status();
    ASSERT_EQ(copy->StateDigest(), core_->StateDigest());
  }

  // Delivers messages both ways until nothing is under way.
  void Settle() {
    for (int i = 0; i < 1000 && !to_sites_.empty(); ++i) {
      SiteMessage m = std::move(to_sites_.front());
      to_sites_.pop_front();
      FakeSite& site = Of(m.site);
      if (!site.cut) Hear(site, m.message);
    }
  }

  void Advance(int64_t milliseconds) {
    const int64_t until = now_.boot.milliseconds + milliseconds;
    while (now_.boot.milliseconds < until) {
      const int64_t step = std::min<int64_t>(250, until - now_.boot.milliseconds);
      now_.boot.milliseconds += step;
      now_.wall.milliseconds += step;
      for (FakeSite& site : sites_) {
        if (!site.cut && connected_) Beat(site);
      }
      Turn({});
      Settle();
    }
  }

  FakeSite& Of(const std::string& name) {
    for (FakeSite& site : sites_) {
      if (site.name_ == name) return site;
    }
    std::abort();
  }

  void Say(FakeSite& site, decltype(schemas::ToMeta::body) body) {
    schemas::ToMeta m;
    m.federation = "test";
    m.incarnation = site.incarnation;
    m.number = MessageNumber{++number_};
    m.body = std::move(body);
    Turn({SiteSays{site.name_, "link-" + site.name_, std::move(m)}});
  }
  void Beat(FakeSite& site) {
    Say(site, schemas::Heartbeat{.feed = site.feed, .plan = site.plan, .disk_low = site.disk_low});
  }
  void Dial(FakeSite& site) {
    Say(site, schemas::Hello{
                  .incarnation = site.incarnation, .feed = site.feed, .capacity = site.Machine()});
    Settle();
  }
  void DialAll() {
    connected_ = true;
    for (FakeSite& site : sites_) Dial(site);
  }

  void Change(FakeSite& site, const Fence& fence, decltype(schemas::Change::what) what) {
    const schemas::FeedPosition after = site.feed;
    schemas::Change change{Revision{site.feed.revision.value + 1}, fence, std::move(what)};
    site.feed = {change.revision, schemas::ChainDigest(site.feed.digest, change)};
    site.changes.push_back(change);
    if (one_write_) {
      one_write_->changes.push_back(std::move(change));
    } else if (!site.cut) {
      Say(site, schemas::Report{after, {change}});
    }
  }
  void Become(FakeSite& site, const Fence& fence, HoldState state,
              schemas::ClosedAs as = schemas::ClosedAs::kNotClosed, schemas::Cause cause = {}) {
    site.states[fence] = state;
    const schemas::HoldOrder& order = site.orders[fence];
    schemas::HoldChanged c{
        .state = state, .closed_as = as, .request = order.request, .cause = cause};
    c.start = starts_[{site.name_, fence}];
    if (state >= HoldState::kPrepared && state < HoldState::kClosed) {
      c.deadline = ToMoment(c.start + order.deadline_after);
    }
    if (started_.contains({site.name_, fence})) c.started = schemas::Started::kYes;
    for (const schemas::PartDemand& part : order.parts) {
      c.parts.push_back({part.index, {"n1"}, site.name_ + ":" + std::to_string(part.index)});
    }
    Change(site, fence, c);
  }
  void PartIs(FakeSite& site, const Fence& fence, uint32_t index, PartState state,
              schemas::PartEnd end = {}) {
    if (state == PartState::kRunning) started_.insert({site.name_, fence});
    Change(site, fence, schemas::PartChanged{index, state, now_.wall, {}, end});
  }
  // All parts of a permitted hold start; later they end with `code`, and the hold closes.
  void Run(FakeSite& site, const Fence& fence) {
    for (const auto& part : site.orders[fence].parts)
      PartIs(site, fence, part.index, PartState::kRunning);
  }
  void End(FakeSite& site, const Fence& fence, int code) {
    for (const auto& part : site.orders[fence].parts) {
      PartIs(site, fence, part.index, PartState::kEnded,
             {.by = schemas::EndedBy::kExit, .exit_code = code});
    }
    Become(site, fence, HoldState::kClosed, schemas::ClosedAs::kEnded);
  }
  void Ready(FakeSite& site, const Fence& fence) {
    for (const auto& part : site.orders[fence].parts)
      PartIs(site, fence, part.index, PartState::kReady);
  }

  // H3, H9: what is replaced closes in the write of the commit.
  void Commit(FakeSite& site, const schemas::HoldOrder& order, HoldState state) {
    one_write_ = schemas::Report{.after = site.feed};
    const auto old = order.replaces ? site.states.find(*order.replaces) : site.states.end();
    if (old != site.states.end() && old->second != HoldState::kClosed) {
      Become(site, *order.replaces, HoldState::kClosed, schemas::ClosedAs::kReleased);
    }
    Become(site, order.fence, state);
    schemas::Report report = *std::exchange(one_write_, std::nullopt);
    if (!site.cut) Say(site, std::move(report));
  }

  void Create(FakeSite& site, const schemas::HoldOrder& order) {
    if (site.states.contains(order.fence) || site.mute_holds) return;
    if (site.counter) {
      const schemas::VerdictEntry v{.kind = schemas::VerdictKind::kCountered,
                                    .start = site.counter->intervals()[0].begin,
                                    .starts = *site.counter};
      site.counter.reset();
      Say(site, schemas::Answers{{{order.fence, schemas::AnswerKind::kCountered, v}}});
      return;
    }
    const std::optional<Instant> start =
        order.allowed.FirstFrom(std::max(site.not_before, now_.wall.Ceiling()));
    ASSERT_TRUE(start.has_value());
    site.orders[order.fence] = order;
    starts_[{site.name_, order.fence}] = *start;
    if (order.stage == HoldState::kCommitted) return Commit(site, order, order.stage);
    Become(site, order.fence, order.stage);
  }

  void Obey(FakeSite& site, const schemas::Order& order) {
    if (const auto* hold = std::get_if<schemas::HoldOrder>(&order.what)) Create(site, *hold);
    if (const auto* commit = std::get_if<schemas::CommitOrder>(&order.what)) {
      if (site.states[commit->fence] == HoldState::kPrepared) {
        Commit(site, site.orders[commit->fence], HoldState::kCommitted);
      }
    }
    if (const auto* permit = std::get_if<schemas::PermitOrder>(&order.what)) {
      // The permit must be durable before it is sent.
      const auto record = store_.find(AttemptKeyText(permit->fence));
      ASSERT_NE(record, store_.end());
      EXPECT_TRUE(std::get<schemas::AttemptRecord>(record->second).permit.has_value());
      const HoldState s = site.states[permit->fence];
      if (s == HoldState::kPrepared || s == HoldState::kCommitted) {
        site.permits[permit->fence] = permit->permit;
        Become(site, permit->fence, HoldState::kPermitted);
      }
    }
    if (const auto* release = std::get_if<schemas::ReleaseOrder>(&order.what)) {
      if (site.loses_releases) return;
      site.releases.push_back(*release);
      if (site.states[release->fence] == HoldState::kClosed) return;
      const bool started = started_.contains({site.name_, release->fence});
      if (started && release->unless_started) return;
      if (started) {
        for (const auto& part : site.orders[release->fence].parts) {
          PartIs(site, release->fence, part.index, PartState::kEnded,
                 {.by = schemas::EndedBy::kRelease});
        }
      }
      Become(site, release->fence, HoldState::kClosed, schemas::ClosedAs::kReleased,
             release->cause);
    }
  }

  void Hear(FakeSite& site, const schemas::ToSite& m) {
    if (std::get_if<schemas::Welcome>(&m.body)) {
      const uint64_t from = std::get<schemas::Welcome>(m.body).feed.revision.value;
      Replay(site, from);
    } else if (const auto* resync = std::get_if<schemas::Resync>(&m.body)) {
      if (!resync->all) return Replay(site, resync->from.value);
      if (site.mute_listings) return;
      schemas::Listing listing{.feed = site.feed, .first = true, .last = true};
      for (const auto& [fence, order] : site.orders) {
        schemas::HoldRecord record;
        record.order = order;
        record.state = site.states[fence];
        record.start = starts_[{site.name_, fence}];
        record.cause = site.causes[fence];
        for (const auto& part : order.parts) record.parts.push_back({.index = part.index});
        listing.holds.push_back(std::move(record));
      }
      Say(site, std::move(listing));
    } else if (const auto* orders = std::get_if<schemas::Orders>(&m.body)) {
      for (const schemas::Order& order : orders->orders) Obey(site, order);
    } else if (const auto* propose = std::get_if<schemas::Propose>(&m.body)) {
      ++site.proposals;
      schemas::Verdict verdict{.proposal = propose->proposal, .plan = site.plan};
      verdict.gone = propose->continues && site.forgets_overlays;
      if (propose->tentative) site.tentative.push_back(*propose);
      for (const schemas::ProposalEntry& entry : propose->entries) {
        if (verdict.gone) break;
        verdict.entries.push_back(site.judges          ? site.judges(entry)
                                  : propose->tentative ? InOrder(site, entry)
                                  : site.verdict       ? *site.verdict
                                                       : Judge(site, entry));
      }
      Say(site, std::move(verdict));
    } else if (const auto* steer = std::get_if<schemas::Steer>(&m.body)) {
      site.steers.push_back(*steer);
      if (!site.mute_steers) Change(site, Fence{}, schemas::Steered{steer->order, true, "done"});
    } else if (const auto* inspect = std::get_if<schemas::Inspect>(&m.body)) {
      if (inspect->kind == schemas::InspectKind::kMoves) {
        Say(site, schemas::View{inspect->inspection, PlanRevision{1},
                                schemas::MovesView{.moves = site.moves}});
      } else if (inspect->kind == schemas::InspectKind::kExplain && site.explains) {
        Say(site, schemas::View{inspect->inspection, PlanRevision{1}, site.explains(*inspect)});
      } else if (inspect->kind == schemas::InspectKind::kBookings) {
        Say(site,
            schemas::View{inspect->inspection, PlanRevision{1}, schemas::BookingsView{{"n1"}, {}}});
      } else {
        Say(site, schemas::View{inspect->inspection, PlanRevision{1},
                                schemas::OutputView{.data = "hello", .next = 5, .known = true}});
      }
    }
  }

  void Replay(FakeSite& site, uint64_t from) {
    schemas::FeedPosition after;
    for (const schemas::Change& change : site.changes) {
      if (change.revision.value > from) {
        Say(site, schemas::Report{after, {change}});
      }
      after = {change.revision, schemas::ChainDigest(after.digest, change)};
    }
  }

  static schemas::VerdictEntry InOrder(FakeSite& site, const schemas::ProposalEntry& entry) {
    schemas::VerdictEntry v;
    if (site.in_order.empty()) return v;
    v.start = site.in_order.front();
    v.kind =
        v.start == entry.asked ? schemas::VerdictKind::kAccepted : schemas::VerdictKind::kCountered;
    site.in_order.pop_front();
    return v;
  }
  schemas::VerdictEntry Judge(const FakeSite& site, const schemas::ProposalEntry& entry) const {
    const Instant from = std::max(entry.asked, site.not_before);
    schemas::VerdictEntry v;
    v.start = from;
    v.kind =
        from == entry.asked ? schemas::VerdictKind::kAccepted : schemas::VerdictKind::kCountered;
    if (entry.want_starts) v.starts = IntervalSet::From(from).Intersect(entry.allowed);
    return v;
  }

  static std::string AttemptKeyText(const Fence& fence) {
    const auto hex = [](uint64_t v) {
      char text[17];
      std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(v));
      return std::string(text);
    };
    return "attempt/" + hex(fence.epoch.value) + "." + hex(fence.number);
  }

  // ---- clients

  schemas::ToClient Client(const std::string& user, decltype(schemas::ClientMessage::body) body) {
    answers_.clear();
    schemas::ClientMessage m;
    m.number = MessageNumber{++number_};
    m.body = std::move(body);
    Turn({ClientSays{user, "terminal", std::move(m)}});
    Settle();
    EXPECT_FALSE(answers_.empty());
    return answers_.empty() ? schemas::ToClient{} : answers_.front().message;
  }

  static schemas::RequestSpec Spec(std::vector<std::vector<std::string>> part_sites,
                                   uint32_t cpus = 1) {
    schemas::RequestSpec spec;
    spec.name = "halo";
    spec.duration = Span{600};
    for (auto& sites : part_sites) {
      schemas::PartSpec part;
      part.chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}};
      part.sites = std::move(sites);
      spec.parts.push_back(std::move(part));
    }
    spec.payload.argv = {"hostname"};
    return spec;
  }

  schemas::Accepted Acted(const std::string& user, schemas::Act act) {
    const schemas::ToClient answer = Client(user, std::move(act));
    const auto* accepted = std::get_if<schemas::Accepted>(&answer.body);
    EXPECT_TRUE(accepted != nullptr);
    return accepted ? *accepted : schemas::Accepted{};
  }
  RequestId Submit(const schemas::RequestSpec& spec) {
    const schemas::ToClient answer =
        Client("kim", schemas::Submit{{.text = "key-" + std::to_string(++keys_)}, spec});
    const auto* accepted = std::get_if<schemas::Accepted>(&answer.body);
    EXPECT_TRUE(accepted != nullptr);
    return accepted ? accepted->requests[0] : RequestId{};
  }
  schemas::Refused RefusedBy(const schemas::ToClient& answer) {
    const auto* refused = std::get_if<schemas::Refused>(&answer.body);
    EXPECT_TRUE(refused != nullptr);
    return refused ? *refused : schemas::Refused{};
  }
  schemas::JobView Job(RequestId id) {
    const schemas::ToClient answer =
        Client("kim", schemas::Get{.kind = schemas::GetKind::kJob, .requests = {id}});
    const auto* rows = std::get_if<schemas::Rows>(&answer.body);
    EXPECT_TRUE(rows && rows->jobs.size() == 1);
    return rows ? rows->jobs[0] : schemas::JobView{};
  }
  schemas::RequestRecord Record(RequestId id) {
    for (const schemas::RequestRecord& r : core_->Requests()) {
      if (r.id == id) return r;
    }
    return {};
  }
  Fence FenceOf(RequestId id) { return Record(id).attempt.value_or(Fence{}); }

  Options options_ = TestOptions();
  Now now_{BootInstant{1000}, Moment{kBegin * 1000}};
  std::map<std::string, schemas::MetaRecord> store_;
  std::unique_ptr<Core> core_;
  std::deque<FakeSite> sites_ = {FakeSite("hills"), FakeSite("lakes"), FakeSite("woods")};
  std::deque<SiteMessage> to_sites_;
  std::vector<ClientAnswer> answers_;
  std::vector<std::string> notes_;
  std::optional<BootInstant> next_;
  std::map<std::pair<std::string, Fence>, Instant> starts_;
  std::set<std::pair<std::string, Fence>> started_;
  uint64_t number_ = 0;
  uint64_t keys_ = 0;
  bool entropy_ = true;
  bool connected_ = false;
  std::optional<schemas::Report> one_write_;  // being made: its changes travel as one report
};

}  // namespace muster::meta
