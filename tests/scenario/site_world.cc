// See site_world.h.
#include "tests/scenario/site_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/canonical.h"
#include "tests/scenario/site_trace.h"

namespace muster::scenario {
namespace {

constexpr Instant kZero{1'800'000'000};

// weights=cred:1000,fs_local:500 points=ana:300 tick=60
std::optional<policy::PointsRules> PointsOf(const Command& c) {
  if (!c.Has("weights")) return std::nullopt;
  policy::PointsRules rules{.tick = Span{c.Number("tick", 60)}};
  for (const std::string& one : Split(c.Get("weights", ""), ',')) {
    const auto pair = Split(one, ':');
    const auto factor = policy::FactorOf(pair[0]);
    if (!factor || pair.size() != 2) throw BadLine("'" + one + "' is no weight of a factor");
    rules.weights[static_cast<size_t>(*factor)] = ToNumber(pair[1]);
  }
  for (const std::string& one : Split(c.Get("points", ""), ',')) {
    const auto pair = Split(one, ':');
    if (pair.size() == 2) rules.credentials[pair[0]] = ToNumber(pair[1]);
  }
  return rules;
}

// ceiling=ana:300 target=kim:500 window=100 depth=3 decay=500: shares in thousandths.
std::optional<policy::FairshareRules> SharesOf(const Command& c) {
  if (!c.Has("window")) return std::nullopt;
  policy::FairshareRules rules{.window = Span{c.Number("window", 100)},
                               .depth = static_cast<int>(c.Number("depth", 3)),
                               .decay = c.Number("decay", 500)};
  const auto share = [&](const char* kind) -> std::optional<policy::Share> {
    const auto pair = Split(c.Get(kind, ""), ':');
    if (pair.size() != 2) return std::nullopt;
    return policy::Share{.who = pair[0], .target = ToNumber(pair[1])};
  };
  if (auto one = share("target")) rules.shares.push_back(*std::move(one));
  if (auto one = share("ceiling")) {
    one->ceiling = std::exchange(one->target, std::nullopt);
    one->admission = true;
    rules.shares.push_back(*std::move(one));
  }
  return rules;
}

// A line that is said over and over stands once, with how often.
std::vector<std::string> Shortened(const std::vector<std::string>& lines) {
  constexpr size_t kOften = 20;
  std::vector<std::string> out;
  for (size_t i = 0; i < lines.size();) {
    size_t end = i + 1;
    while (end < lines.size() && lines[end] == lines[i]) ++end;
    if (end - i >= kOften) {
      out.push_back(lines[i] + "  (" + std::to_string(end - i) + " times)");
    } else {
      out.insert(out.end(), lines.begin() + i, lines.begin() + end);
    }
    i = end;
  }
  return out;
}

}  // namespace

SiteWorld::SiteWorld() = default;

Now SiteWorld::At() const {
  return {.boot = {1'000'000 + now_ms_ + boot_offset_ms_},
          .wall = {ToMoment(kZero).milliseconds + now_ms_ + wall_offset_ms_}};
}

Instant SiteWorld::InstantOf(const std::string& seconds) const {
  return kZero + Span{ToNumber(seconds)};
}

// "10-20,30-" : [10,20) and [30, far future).
IntervalSet SiteWorld::StartsOf(const std::string& text) const {
  std::vector<Interval> intervals;
  for (const std::string& piece : Split(text, ',')) {
    const size_t dash = piece.find('-');
    if (dash == std::string::npos) throw BadLine("'" + piece + "' is no range: right is 10-20");
    const std::string end = piece.substr(dash + 1);
    intervals.push_back(
        {InstantOf(piece.substr(0, dash)), end.empty() ? kFarFuture : InstantOf(end)});
  }
  return IntervalSet(intervals);
}

void SiteWorld::Boot() {
  auto core = site::Core::Load(options_, {store_.begin(), store_.end()}, At());
  MUSTER_CHECK(core.ok());
  core_ = std::move(*core);
}

SiteWorld::Lines SiteWorld::Apply(const site::Effects& effects) {
  next_ = effects.next;
  Lines lines = TraceOf(effects, kZero, shows_beats_);
  for (const auto& write : effects.writes) {
    if (write.value) {
      store_[write.key] = *write.value;
    } else {
      store_.erase(write.key);
    }
  }
  return lines;
}

SiteWorld::Lines SiteWorld::Turn(const std::vector<site::Event>& events) {
  const site::Effects effects = core_->Step(At(), events);
  const Crash crash = std::exchange(crash_, Crash::kNone);
  if (crash == Crash::kBeforeWrite) return {"crash: nothing is written, said or done"};
  Lines lines = Apply(effects);
  if (crash == Crash::kAfterWrite) {
    std::erase_if(lines, [](const auto& line) { return !line.starts_with("write"); });
    lines.push_back("crash: written, but nothing is said or done");
    return lines;
  }
  for (const auto& message : effects.to_meta) {
    incarnation_ = message.incarnation.value;
    if (const auto* beat = std::get_if<schemas::Heartbeat>(&message.body)) {
      if (beat->capacity) capacity_ = beat->capacity->plan;
      if (!answers_beats_) continue;
      const schemas::Beat answer{.feed = {acknowledged_}, .capacity = capacity_, .floor = floor_};
      for (std::string& line : Meta(answer, {})) lines.push_back(std::move(line));
    }
  }
  CheckRebuild();
  CheckBookings();
  return lines;
}

void SiteWorld::CheckRebuild() const {
  const auto again = site::Core::Load(options_, {store_.begin(), store_.end()}, At());
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->StateDigest(), core_->StateDigest()) << "rebuilt and live core differ";
}

// Lets time pass, with a turn whenever the core wants one.
SiteWorld::Lines SiteWorld::Advance(int64_t milliseconds) {
  Lines lines;
  const int64_t target = now_ms_ + milliseconds;
  for (int turns = 0; turns < 100'000; ++turns) {
    const int64_t due =
        next_ ? now_ms_ + std::max<int64_t>(0, (*next_ - At().boot).milliseconds) : target;
    if (due > target) break;
    now_ms_ = due;
    for (std::string& line : Turn({})) lines.push_back(std::move(line));
    if (due == target && (!next_ || *next_ > At().boot)) break;
  }
  now_ms_ = target;
  return Shortened(lines);
}

SiteWorld::Lines SiteWorld::MakeSite(const Command& c) {
  options_.federation = "campus";
  options_.name = "lakes";
  options_.boot_id = "b1";
  options_.facts.turnover = {c.Number("turnover", 0)};
  options_.facts.start_slack = {c.Number("slack", 0)};
  options_.facts.finds_parts = c.Get("finds", "yes") == "yes";
  options_.users = {{"kim", false, {}}, {"root", true, {}}};
  options_.max_held_per_user = size_t(c.Number("held_per_user", 16));
  options_.allocate_timeout = {c.Number("allocate", 86400)};
  options_.release_timeout = {c.Number("release", 86400)};
  options_.max_holds = size_t(c.Number("max_holds", 1000));
  for (int64_t i = 1; i <= c.Number("nodes", 1); ++i) {
    options_.nodes.push_back(
        {.name = "n" + std::to_string(i), .resources = {{"ncpus", c.Number("cpus", 4)}}});
  }
  options_.priority = PointsOf(c);
  options_.fairshare = SharesOf(c);
  Boot();
  return Turn({});
}

SiteWorld::Lines SiteWorld::Restart(const Command& c) {
  if (c.Has("boot")) {
    options_.boot_id = c.Get("boot", "");
    boot_offset_ms_ = -now_ms_ - 999'000;
  }
  if (c.Has("nodes")) options_.nodes.resize(size_t(c.Number("nodes", 1)));
  if (c.Has("after")) now_ms_ += c.Number("after", 0) * 1000;
  answers_beats_ = false;
  Boot();
  return Turn({});
}

SiteWorld::Lines SiteWorld::Meta(decltype(schemas::ToSite::body) body, const Command& c) {
  schemas::ToSite message{
      .federation = c.Get("federation", "campus"),
      .epoch = {uint64_t(c.Number("epoch", int64_t(epoch_)))},
      .number = {++message_},
      .expires = {ToMoment(kZero).milliseconds + now_ms_ + 1000 * c.Number("expires", 30)},
      .floor = floor_,
      .incarnation = {uint64_t(c.Number("incarnation", int64_t(incarnation_)))}};
  message.body = std::move(body);
  return Turn({site::MetaSays{std::move(message)}});
}

SiteWorld::Lines SiteWorld::Welcome(const Command& c) {
  epoch_ = uint64_t(c.Number("epoch", int64_t(epoch_)));
  schemas::Welcome welcome{.epoch = {epoch_}, .floor = floor_};
  const uint64_t feed = uint64_t(c.Number("feed", int64_t(acknowledged_)));
  // The meta's digest there: of the change on record, or of a feed that never was.
  welcome.feed.revision = {feed};
  for (const auto& [key, record] : store_) {
    const auto* change = std::get_if<schemas::ChangeRecord>(&record);
    if (change && change->change.revision.value == feed) welcome.feed.digest = change->digest;
  }
  if (c.Has("diverged")) welcome.feed.digest.bytes[0] ^= 1;
  answers_beats_ = true;
  capacity_ = {};
  return Meta(welcome, c);
}

std::vector<schemas::PartDemand> SiteWorld::PartsOf(const Command& c) const {
  std::vector<schemas::PartDemand> parts;
  const auto offsets = Split(c.Get("offsets", "0"), ',');
  const auto indexes = Split(c.Get("parts", "1"), ',');
  for (size_t i = 0; i < indexes.size(); ++i) {
    schemas::PartDemand part{.index = uint32_t(ToNumber(indexes[i])),
                             .duration = {c.Number("for", 60)},
                             .offset = {ToNumber(offsets[std::min(i, offsets.size() - 1)])},
                             .tail = {c.Number("tail", 0)},
                             .exclusive = c.Has("exclusive")};
    part.chunks.push_back({.count = uint32_t(c.Number("chunks", 1)),
                           .resources = {{"ncpus", c.Number("cpus", 4)}},
                           .least = uint32_t(c.Number("least", 0)),
                           .most = uint32_t(c.Number("most", 0))});
    if (c.Get("place", "") == "scatter") part.place = schemas::Place::kScatter;
    parts.push_back(std::move(part));
  }
  return parts;
}

schemas::HoldOrder SiteWorld::HoldOf(const Command& c) const {
  const auto now_s = std::to_string(now_ms_ / 1000);
  schemas::HoldOrder order{.fence = FenceOf(c.Argument(0)),
                           .request = {uint64_t(c.Number("request", 42))},
                           .job_name = "halo",
                           .requester = {.user = c.Get("user", "kim")},
                           .priority = int32_t(c.Number("priority", 0)),
                           .members = Split(c.Get("members", "lakes"), ','),
                           .part_count = uint32_t(c.Number("of", 1)),
                           .parts = PartsOf(c)};
  order.part_sites = order.members;
  order.payload.argv = {"./halo"};
  order.payload_digest = schemas::DigestOf(order.payload);
  order.allowed = StartsOf(c.Get("allowed", now_s + "-"));
  order.earliest = InstantOf(c.Get("earliest", now_s));
  const std::string stage = c.Get("stage", c.name == "direct" ? "committed" : "prepared");
  order.stage = stage == "held"       ? schemas::HoldState::kHeld
                : stage == "prepared" ? schemas::HoldState::kPrepared
                                      : schemas::HoldState::kCommitted;
  order.lease = Seconds(c.Number("lease", 30));
  order.deadline_after = {c.Number("wait", order.members.size() > 1 ? 90 : 10)};
  if (c.Has("replaces")) order.replaces = FenceOf(c.Get("replaces", ""));
  if (c.Has("inside")) order.inside = RequestId{uint64_t(c.Number("inside", 0))};
  if (c.Has("since")) order.waits_since = ToMoment(InstantOf(c.Get("since", "0")));
  if (c.Has("reserves")) order.reserves = schemas::ReservationSpec{};
  return order;
}

std::optional<schemas::Order> SiteWorld::OrderOf(const Command& c) const {
  if (c.arguments.empty()) return std::nullopt;
  const Fence fence = FenceOf(c.Argument(0));
  schemas::Order order;
  if (c.name == "hold" || c.name == "direct") {
    order.what = HoldOf(c);
  } else if (c.name == "prepare") {
    order.what = schemas::PrepareOrder{fence};
  } else if (c.name == "commit") {
    order.what = schemas::CommitOrder{fence};
  } else if (c.name == "permit") {
    schemas::Permit permit{.last_start = InstantOf(c.Get("last", "86400"))};
    permit.rendezvous = Split(c.Get("peers", ""), ',');
    order.what = schemas::PermitOrder{fence, permit};
  } else if (c.name == "release") {
    const auto code =
        c.Get("cause", "") == "user" ? schemas::CauseCode::kUser : schemas::CauseCode::kNone;
    order.what =
        schemas::ReleaseOrder{fence, {.code = code, .who = "meta"}, c.Has("unless-started")};
  } else {
    return std::nullopt;
  }
  return order;
}

SiteWorld::Lines SiteWorld::Driver(const Command& c) {
  const std::string& what = c.Argument(0);
  const std::string token = c.arguments.size() > 1 ? c.arguments[1] : "";
  const Moment now{ToMoment(kZero).milliseconds + now_ms_};
  driver::PartEnded ended{.token = token, .at = now};
  ended.end.by = c.Has("walltime") ? schemas::EndedBy::kWalltime
                 : c.Has("killed") ? schemas::EndedBy::kRelease
                                   : schemas::EndedBy::kExit;
  if (ended.end.by == schemas::EndedBy::kExit) ended.end.exit_code = int32_t(c.Number("exit", 0));
  ended.usage.elapsed = Seconds(c.Number("elapsed", 0));
  if (what == "started") return Drive(driver::PartStarted{token, now});
  if (what == "failed")
    return Drive(driver::PartNotStarted{token, "no such account", c.Has("late")});
  if (what == "ending") return Drive(driver::PartEnding{token});
  if (what == "ended") return Drive(ended);
  if (what == "output") {
    return Drive(
        driver::OutputRead{uint64_t(c.Number("inspection", 1)), {.data = "hello", .next = 5}});
  }
  driver::PartFound found{.token = token};
  if (what == "running") found.finding = driver::Finding::kRunning;
  if (what == "over") {
    found.finding = driver::Finding::kEnded;
    found.ended = ended;
  }
  if (what == "never") found.finding = driver::Finding::kNeverRan;
  return Drive(found);
}

// A user of the site itself.
SiteWorld::Lines SiteWorld::Submit(const Command& c) {
  schemas::Submit submit{.key = {.text = c.Get("once", "key" + std::to_string(message_))}};
  submit.request.duration = {c.Number("for", 60)};
  submit.request.parts.emplace_back().chunks.push_back(
      {.count = 1, .resources = {{"ncpus", c.Number("cpus", 4)}}});
  submit.request.payload.argv = {"./local"};
  if (c.Has("from")) submit.request.from = InstantOf(c.Get("from", "0"));
  schemas::ClientMessage message{.number = {++message_}};
  message.body = std::move(submit);
  return Turn({site::ClientSays{c.Get("user", "kim"), "1", std::move(message)}});
}

SiteWorld::Lines SiteWorld::Run(const Command& c) {
  if (c.name == "site") return MakeSite(c);
  if (c.name == "restart") return Restart(c);
  if (c.name == "pass") return Advance(1000 * ToNumber(c.Argument(0)));
  if (c.name == "pass_ms") return Advance(ToNumber(c.Argument(0)));
  if (c.name == "jump") {
    wall_offset_ms_ += 1000 * ToNumber(c.Argument(0));
    return Turn({});
  }
  if (c.name == "welcome") return Welcome(c);
  if (c.name == "standing") {  // standing ana=-400 kim=300
    schemas::Standing standing;
    for (const auto& [who, value] : c.options) standing.rows.push_back({who, c.Number(who, 0)});
    return Meta(standing, c);
  }
  if (c.name == "silence") {
    answers_beats_ = false;
    return {};
  }
  if (c.name == "beats") {
    shows_beats_ = c.Argument(0) == "shown";
    return {};
  }
  if (c.name == "ack") {
    acknowledged_ = uint64_t(ToNumber(c.Argument(0)));
    return Meta(schemas::Beat{.feed = {acknowledged_}, .capacity = capacity_, .floor = floor_}, c);
  }
  if (c.name == "floor") {
    floor_ = FenceOf(c.Argument(0));
    return {};
  }
  if (c.name == "resync") {
    const bool all = c.Argument(0) == "all";
    return Meta(schemas::Resync{.all = all, .from = {all ? 0 : uint64_t(ToNumber(c.Argument(0)))}},
                c);
  }
  if (c.name == "refuse")
    return Meta(schemas::LinkRefused{"incarnation", "another one is known"}, c);
  if (c.name == "garbage") return Turn({site::MetaGarbage{"not a message"}});
  if (c.name == "disk") return Turn({site::DiskState{c.Argument(0) == "low"}});
  if (c.name == "driver") return Driver(c);
  if (c.name == "propose") return Propose(c);
  if (c.name == "submit") return Submit(c);
  if (c.name == "inspect") return Inspect(c);
  if (c.name == "drain" || c.name == "resume" || c.name == "extend" || c.name == "resize") {
    return Steer(c);
  }
  if (c.name == "crash") {
    crash_ = c.Argument(0) == "before_write" ? Crash::kBeforeWrite : Crash::kAfterWrite;
    return {};
  }
  if (c.name == "holds") {
    Lines lines;
    for (const auto& hold : core_->Holds()) lines.push_back(TraceOf(hold, kZero));
    return lines;
  }
  auto order = OrderOf(c);
  if (!order) throw BadLine("no such command");
  return Meta(schemas::Orders{.orders = {*order}}, c);
}

}  // namespace muster::scenario
