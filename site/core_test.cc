// The core under anything a meta and a driver may say, in any order, with restarts: the predicates
// of protocol.md section 10 hold after every turn. One line replays a failure: the seed and the
// turn are in it.
#include "site/core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"
#include "schemas/canonical.h"

namespace muster::site::core_test {
namespace {

using schemas::HoldState;
using schemas::PartState;

constexpr int64_t kZeroMs = 1'800'000'000'000;
constexpr Instant kZero{kZeroMs / 1000};

class Storm {
 public:
  explicit Storm(uint64_t seed) : random_(seed) {
    options_.federation = "campus";
    options_.name = "lakes";
    options_.boot_id = "b1";
    options_.seed = seed;
    options_.facts.turnover = {int64_t(random_.Below(2))};
    options_.first_port = 1000;
    options_.last_port = 1019;
    options_.max_holds = 20;
    options_.max_held = 6;
    options_.max_held_per_user = 4;
    options_.extend_percent = 60;
    options_.allocate_timeout = {90};
    options_.release_timeout = {90};
    SetNodes(3);
    Load();
  }

  // Counts what happened, so that a storm in which too little happens is noticed.
  struct Seen {
    std::map<schemas::ClosedAs, int> closed;
    std::map<schemas::CauseCode, int> moved;
    std::map<PartState, int> parts;
    std::map<schemas::AnswerKind, int> answers;
    int extended = 0;
    int resized = 0;
  };
  const Seen& seen() const { return seen_; }

  void Turn(int number) {
    turn_ = number;
    now_ms_ += random_.Chance(700) ? random_.Between(0, 900) : random_.Between(0, 40'000);
    if (random_.Chance(40)) return Restart();
    std::vector<Event> events;
    for (uint64_t n = random_.Below(4); n > 0; --n) events.push_back(AnyEvent());
    Check(core_->Step(Now_(), events));
  }

 private:
  Now Now_() const { return {.boot = {now_ms_}, .wall = {kZeroMs + now_ms_}}; }
  void SetNodes(uint64_t count) {
    options_.nodes.clear();
    for (uint64_t i = 0; i < count; ++i) {
      options_.nodes.push_back({.name = "n" + std::to_string(i), .resources = {{"ncpus", 4}}});
    }
  }
  Instant NowAt() const { return Moment{kZeroMs + now_ms_}.Floor(); }

  void Load() {
    auto core = Core::Load(options_, {store_.begin(), store_.end()}, Now_());
    ASSERT_TRUE(core.ok()) << core.status();
    core_ = std::move(*core);
  }
  void Restart() {
    if (random_.Chance(300)) options_.boot_id = "b" + std::to_string(turn_ + 2);
    if (random_.Chance(300)) SetNodes(2 + random_.Below(2));
    Load();
    welcomed_ = false;
    Check(core_->Step(Now_(), {}));
  }

  Event AnyEvent() {
    if (!welcomed_ || random_.Chance(30)) return Meta(WelcomeNow());
    switch (random_.Below(14)) {
      case 10:
      case 11:
      case 12:
      case 13:
        return Meta(AnySteer());
      case 0:
        return DiskState{random_.Chance(200)};
      case 1:
        return Meta(schemas::Beat{.feed = {random_.Below(core_->Feed().revision.value + 2)},
                                  .capacity = {random_.Below(50)},
                                  .floor = Floor()});
      case 2:
      case 3:
      case 4:
        return AnyDriverEvent();
      default:
        return Meta(AnyOrders());
    }
  }

  schemas::Welcome WelcomeNow() {
    welcomed_ = true;
    if (random_.Chance(200)) ++epoch_;
    schemas::Welcome welcome{.epoch = {epoch_}, .floor = Floor()};
    welcome.feed = random_.Chance(500) ? core_->Feed() : schemas::FeedPosition{};
    return welcome;
  }
  Fence Floor() {
    if (random_.Chance(100)) floor_ = std::max(floor_, AnyFence());
    return floor_;
  }
  Fence AnyFence() { return {{1 + random_.Below(epoch_)}, 1 + random_.Below(25)}; }

  Event Meta(decltype(schemas::ToSite::body) body) {
    schemas::ToSite message{.federation = "campus",
                            .epoch = {random_.Chance(980) ? epoch_ : random_.Below(epoch_ + 2)},
                            .expires = {kZeroMs + now_ms_ + 30'000},
                            .floor = floor_,
                            .incarnation = {incarnation_}};
    message.body = std::move(body);
    return MetaSays{std::move(message)};
  }

  schemas::Steer AnySteer() {
    schemas::Steer steer{.order = ++last_order_,
                         .who = random_.Chance(300) ? "operator:ana" : "user:kim",
                         .verb = random_.Chance(20)    ? schemas::SteerVerb::kDrain
                                 : random_.Chance(300) ? schemas::SteerVerb::kResume
                                 : random_.Chance(500) ? schemas::SteerVerb::kExtend
                                                       : schemas::SteerVerb::kResize,
                         .nodes = {"n" + std::to_string(random_.Below(3))},
                         .hard = random_.Chance(500),
                         .fence = AnyFence(),
                         .part = uint32_t(1 + random_.Below(2)),
                         .span = {Odd(random_.Between(1, 15))},
                         .counts = {1 + random_.Below(3)}};
    // Most steering orders are about a running part.
    for (const schemas::HoldRecord& hold : core_->Holds()) {
      for (const schemas::PartRecord& part : hold.parts) {
        if (part.state != PartState::kRunning || random_.Chance(400)) continue;
        steer.fence = hold.order.fence;
        steer.part = part.index;
      }
    }
    return steer;
  }

  schemas::Orders AnyOrders() {
    schemas::Orders orders;
    for (uint64_t n = 1 + random_.Below(3); n > 0; --n) {
      schemas::Order order;
      const Fence fence = AnyFence();
      switch (random_.Below(8)) {
        case 0:
          order.what = schemas::PrepareOrder{fence};
          break;
        case 1:
          order.what = schemas::CommitOrder{fence};
          break;
        case 2:
        case 3:
          order.what = schemas::PermitOrder{fence, AnyPermit()};
          break;
        case 4:
          order.what = schemas::ReleaseOrder{fence, {.code = schemas::CauseCode::kUser}};
          break;
        default:
          order.what = AnyHold(fence);
      }
      orders.orders.push_back(std::move(order));
    }
    return orders;
  }
  schemas::Permit AnyPermit() {
    schemas::Permit permit{.last_start = NowAt() + Span{random_.Between(-20, 300)}};
    if (random_.Chance(20)) permit.last_start = {INT64_MIN};
    if (random_.Chance(20)) permit.last_start = {INT64_MAX};
    return permit;
  }
  int64_t Odd(int64_t usual) {
    if (!random_.Chance(15)) return usual;
    constexpr int64_t kOdd[] = {0, -1, 1, INT64_MIN, INT64_MAX, int64_t{1} << 40};
    return kOdd[random_.Below(6)];
  }
  schemas::HoldOrder AnyHold(const Fence& fence) {
    schemas::HoldOrder order{.fence = fence,
                             .request = {random_.Below(6)},
                             .requester = {.user = random_.Chance(500) ? "kim" : "lee"},
                             .priority = int32_t(random_.Below(3)),
                             .members = {"lakes"},
                             .part_count = 2};
    if (random_.Chance(500)) order.members.push_back("woods");
    for (uint32_t i = 1; i <= 1 + random_.Below(2); ++i) {
      schemas::PartDemand part{.index = i, .duration = {Odd(random_.Between(1, 120))}};
      part.offset = {Odd(i == 2 ? random_.Between(0, 60) : 0)};
      part.tail = {Odd(order.members.size() > 1 ? 30 : 0)};
      part.exclusive = random_.Chance(100);
      const uint32_t most = random_.Chance(500) ? 3 : 0;
      part.chunks.push_back({.count = uint32_t(1 + random_.Below(2)),
                             .resources = {{"ncpus", Odd(random_.Between(1, 4))}},
                             .least = most == 0 ? 0 : 1u,
                             .most = most});
      order.parts.push_back(std::move(part));
    }
    const Instant from{NowAt().seconds + random_.Between(-5, 200)};
    order.allowed = random_.Chance(500) ? IntervalSet::From(from) : IntervalSet::Only(from);
    if (random_.Chance(20))
      order.allowed = IntervalSet({Interval{{INT64_MIN / 4}, {INT64_MAX / 4}}});
    order.earliest = {Odd(NowAt().seconds + random_.Between(-10, 100))};
    order.stage = static_cast<HoldState>(1 + random_.Below(3));
    order.lease = Seconds(random_.Between(1, 60));
    order.deadline_after = {Odd(random_.Between(5, 90))};
    if (random_.Chance(150)) order.replaces = AnyFence();
    order.payload_digest = schemas::DigestOf(order.payload);
    return order;
  }

  Event AnyDriverEvent() {
    if (running_.empty()) return DiskState{false};
    auto it = running_.begin();
    std::advance(it, random_.Below(running_.size()));
    const std::string token = *it;
    driver::PartEnded ended{.token = token, .at = {kZeroMs + now_ms_}};
    ended.end = {.by = schemas::EndedBy::kExit, .exit_code = 0};
    ended.usage.elapsed = {random_.Between(0, 5'000)};
    switch (random_.Below(8)) {
      case 0:
      case 5:
        return DriverSays{driver::PartNotStarted{token, "no", random_.Chance(300)}};
      case 1:
        return DriverSays{driver::PartEnding{token}};
      case 2:
      case 3:
        return DriverSays{ended};
      case 4: {
        driver::PartFound found{.token = token,
                                .finding = static_cast<driver::Finding>(random_.Below(4))};
        if (found.finding == driver::Finding::kEnded) found.ended = ended;
        return DriverSays{found};
      }
      default:
        return DriverSays{driver::PartStarted{token, {kZeroMs + now_ms_}}};
    }
  }

  void Count(const Effects& effects) {
    for (const auto& write : effects.writes) {
      if (!write.value) continue;
      const auto* record = std::get_if<schemas::ChangeRecord>(&*write.value);
      if (record == nullptr) continue;
      const auto& what = record->change.what;
      if (const auto* hold = std::get_if<schemas::HoldChanged>(&what))
        ++seen_.closed[hold->closed_as];
      if (const auto* moved = std::get_if<schemas::Moved>(&what)) ++seen_.moved[moved->cause.code];
      if (const auto* part = std::get_if<schemas::PartChanged>(&what)) {
        ++seen_.parts[part->state];
        if (part->state != PartState::kRunning) continue;
        if (part->booking.extended > Span{0}) ++seen_.extended;
        if (!part->booking.counts.empty()) ++seen_.resized;
      }
    }
    for (const auto& message : effects.to_meta) {
      const auto* answers = std::get_if<schemas::Answers>(&message.body);
      if (answers == nullptr) continue;
      for (const auto& answer : answers->answers) ++seen_.answers[answer.kind];
    }
  }

  void Check(const Effects& effects) {
    Count(effects);
    for (const auto& write : effects.writes) {
      if (write.value) {
        store_[write.key] = *write.value;
      } else {
        store_.erase(write.key);
      }
    }
    for (const auto& message : effects.to_meta) incarnation_ = message.incarnation.value;
    const auto holds = core_->Holds();
    for (const auto& hold : holds) {
      if (!hold.order.replaces) continue;
      replacing_.insert(hold.order.fence);
      replacing_.insert(*hold.order.replaces);
    }
    CheckRebuild();
    CheckStarts(effects, holds);
    CheckDeadlines(holds);
    CheckBookings(holds);
    CheckClosed(holds);
    running_.clear();
    for (const auto& hold : holds) {
      for (const auto& part : hold.parts) {
        if (part.state >= PartState::kStarting && part.state < PartState::kEnded)
          running_.insert(part.token);
      }
    }
    ASSERT_TRUE(effects.next) << "there is always a link to look after";
  }
  void CheckRebuild() {  // G7
    const auto again = Core::Load(options_, {store_.begin(), store_.end()}, Now_());
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(again->StateDigest(), core_->StateDigest()) << "turn " << turn_;
  }
  void CheckStarts(const Effects& effects, const std::vector<schemas::HoldRecord>& holds) {  // G1
    for (const auto& command : effects.driver) {
      const auto* start = std::get_if<driver::StartPart>(&command);
      if (start == nullptr) continue;
      ASSERT_TRUE(tokens_.insert(start->token).second) << "a token is new for every try";
      const auto hold = std::find_if(holds.begin(), holds.end(), [&](const auto& h) {
        return start->token.starts_with(ToText(h.order.fence) + ".");
      });
      ASSERT_NE(hold, holds.end());
      ASSERT_TRUE(hold->permit) << start->token << " has no permit";
      ASSERT_LE(NowAt(), start->not_after) << "never after the last start";
    }
  }
  void CheckDeadlines(const std::vector<schemas::HoldRecord>& holds) {  // G4
    for (const auto& hold : holds) {
      if (hold.state == HoldState::kHeld) ASSERT_GT(hold.lease->boot.milliseconds, now_ms_);
      if (hold.state == HoldState::kPrepared || hold.state == HoldState::kCommitted) {
        ASSERT_GT(hold.deadline->boot.milliseconds, now_ms_) << ToText(hold.order.fence);
      }
    }
  }
  // G2, checked at each second at which a booking begins. Parts whose processes overran are not the
  // plan's fault.
  void CheckBookings(const std::vector<schemas::HoldRecord>& holds) {
    struct Booked {
      const schemas::HoldRecord* hold;
      std::string node;
      Instant begin, end;
      int64_t cpus;
      Instant may_begin;  // no later than this
    };
    std::vector<Booked> all;
    for (const auto& hold : holds) {
      if (hold.state == HoldState::kClosed) continue;
      for (size_t i = 0; i < hold.parts.size(); ++i) {
        const auto& demand = hold.order.parts[i];
        const Span runs = demand.duration + hold.parts[i].extended;
        Instant begin = hold.start + demand.offset;
        Instant end = begin + runs + demand.tail;
        // A resized part may have got its present resources only now.
        if (!hold.parts[i].counts.empty()) begin = std::max(begin, NowAt());
        if (hold.parts[i].ended_at) end = std::min(end, hold.parts[i].ended_at->Floor());
        // The tail is given back at the start.
        if (hold.parts[i].started_at) {
          end = std::min(end, hold.parts[i].started_at->Ceiling() + runs);
        }
        for (const auto& chunk : hold.parts[i].place.chunks) {
          const bool waits = hold.order.members.size() > 1 && !hold.parts[i].started_at;
          all.push_back({&hold, chunk.node, begin, end, chunk.resources.Get("ncpus"),
                         waits ? begin + demand.tail : begin});
        }
      }
    }
    for (const Booked& at : all) {
      std::map<Fence, int64_t> of_hold;
      for (const Booked& other : all) {
        // A co-allocated part that finds no other nodes keeps its place until its deadline, and
        // waits there for the part that began late.
        const schemas::CauseCode why = other.hold->cause.code;
        const bool late = other.hold->parts[0].started_at && (why == schemas::CauseCode::kLate ||
                                                              why == schemas::CauseCode::kSiteDown);
        if (late && at.may_begin > at.begin) continue;
        if (other.node == at.node && other.begin <= at.begin && at.begin < other.end) {
          of_hold[other.hold->order.fence] += other.cpus;
        }
      }
      ASSERT_LE(Counted(of_hold), 4) << at.node << " is booked twice, turn " << turn_;
    }
  }
  // Attempts of one request that replace one another count as their maximum.
  int64_t Counted(const std::map<Fence, int64_t>& of_hold) {
    std::map<RequestId, int64_t> alternatives;
    int64_t sum = 0;
    for (const auto& hold : core_->Holds()) {
      const auto it = of_hold.find(hold.order.fence);
      if (it == of_hold.end()) continue;
      if (replacing_.contains(hold.order.fence)) {
        int64_t& most = alternatives[hold.order.request];
        most = std::max(most, it->second);
      } else {
        sum += it->second;
      }
    }
    for (const auto& [request, most] : alternatives) sum += most;
    return sum;
  }
  void CheckClosed(const std::vector<schemas::HoldRecord>& holds) {  // G5
    for (const auto& hold : holds) {
      const bool closed = hold.state == HoldState::kClosed;
      ASSERT_FALSE(closed_.contains(hold.order.fence) && !closed) << "a closed fence lives again";
      if (closed) closed_.insert(hold.order.fence);
    }
  }

  Random random_;
  Seen seen_;
  Options options_;
  std::map<std::string, schemas::SiteRecord> store_;
  std::optional<Core> core_;
  int64_t now_ms_ = 1'000'000;
  int turn_ = 0;
  bool welcomed_ = false;
  uint64_t last_order_ = 0;
  uint64_t epoch_ = 1;
  uint64_t incarnation_ = 1;
  Fence floor_;
  std::set<std::string> running_;
  std::set<std::string> tokens_;
  std::set<Fence> closed_;
  std::set<Fence>
      replacing_;  // holds that were ever booked beside another attempt of their request
};

TEST(Core, KeepsItsPredicatesWhateverIsSaid) {
  Storm::Seen all;
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Storm storm(seed);
    for (int turn = 0; turn < 250 && !testing::Test::HasFatalFailure(); ++turn) storm.Turn(turn);
    if (testing::Test::HasFatalFailure()) return;
    for (const auto& [k, n] : storm.seen().closed) all.closed[k] += n;
    for (const auto& [k, n] : storm.seen().moved) all.moved[k] += n;
    for (const auto& [k, n] : storm.seen().parts) all.parts[k] += n;
    for (const auto& [k, n] : storm.seen().answers) all.answers[k] += n;
    all.extended += storm.seen().extended;
    all.resized += storm.seen().resized;
  }
  for (auto as : {schemas::ClosedAs::kReleased, schemas::ClosedAs::kExpired,
                  schemas::ClosedAs::kDropped, schemas::ClosedAs::kEnded}) {
    EXPECT_GT(all.closed[as], 20) << "closed as " << int(as);
  }
  for (auto cause : {schemas::CauseCode::kOverrun, schemas::CauseCode::kNoPermit,
                     schemas::CauseCode::kNodeLost, schemas::CauseCode::kBackfilled}) {
    EXPECT_GT(all.moved[cause], 5) << "moved for cause " << int(cause);
  }
  for (int state = 0; state <= int(PartState::kEnded); ++state) {
    EXPECT_GT(all.parts[static_cast<PartState>(state)], 20) << "part state " << state;
  }
  EXPECT_GT(all.extended, 0);
  EXPECT_GT(all.resized, 0);
  for (int kind = 0; kind <= int(schemas::AnswerKind::kPresent); ++kind) {
    EXPECT_GT(all.answers[static_cast<schemas::AnswerKind>(kind)], 50) << "answer " << kind;
  }
}

TEST(Core, ACopyGoesItsOwnWayAndGivesTheSameBytes) {
  Options options;
  options.federation = "campus";
  options.name = "lakes";
  options.nodes = {{.name = "n1", .resources = {{"ncpus", 4}}}};
  auto core = Core::Load(options, {}, {.boot = {0}, .wall = {kZeroMs}});
  ASSERT_TRUE(core.ok());
  Core a = *core;
  Core b = *core;
  for (int64_t t = 0; t < 60'000; t += 500) {
    const Now now{.boot = {t}, .wall = {kZeroMs + t}};
    const Effects x = a.Step(now, {});
    const Effects y = b.Step(now, {});
    ASSERT_EQ(x.to_meta, y.to_meta) << t;
    ASSERT_EQ(x.next, y.next) << t;
  }
  EXPECT_EQ(a.StateDigest(), b.StateDigest());
}

TEST(Core, RefusesAStoreOfAnotherSite) {
  Options options;
  options.federation = "campus";
  options.name = "lakes";
  schemas::SiteIdentity other{.federation = "campus", .site = "woods"};
  EXPECT_FALSE(Core::Load(options, {{"site", other}}, {}).ok());
}

}  // namespace
}  // namespace muster::site::core_test
