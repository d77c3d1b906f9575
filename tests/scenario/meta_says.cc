// What the sites of a scenario's federation do: `hills ready 1.1` and the like. See meta_world.h.
//
//   room 500                 grants no start before 500
//   counters 900-1200        answers the next hold with these starts
//   judges never             gives this verdict (or blocked, unanswered); `judges` alone: its own
//   silent, back             neither hears nor says anything; is reachable again
//   ignores holds            does not answer holds, releases, steers or listings; `minds` does
//   ready, starts, ends 1.1  its parts of 1.1 get ready, start, or end (exit=3) and close the hold
//   drops 1.1 cause=C        gives up the hold; by=JOB names the job that took its place
//   moves 1.1 to=T cause=C   gives the hold another start; `unsaid`: only its listings tell of it
//   offers 1.1 500-900       offers earlier starts of a co-allocation
//   says 1.1 STATE start=T   reports exactly this change in its feed, whether or not it is true;
//                            says 1.1 moved was=T to=T cause=C
//   answers 1.1              answers an order about this hold: it is unknown here
//   has 1.1 STATE job=N      has a hold from an earlier life of the meta; members= and start=
//   forks                    its feed has another history from now on, or its own again
//   repeats                  sends its whole feed again
//   beats 100                sends so many heartbeats at once
//   disk low, disk free      its disk is nearly full, or has room again
//   claims 8                 says that each of its nodes has eight cpus
//   garbage 11               sends 11 messages that cannot be decoded
//   restarts                 with the next incarnation; incarnation= and epoch= set other values
#include <algorithm>

#include "tests/scenario/meta_world.h"
#include "tests/scenario/trace_words.h"

namespace muster::scenario {
namespace {

template <size_t N>
size_t IndexOf(const std::array<const char*, N>& words, const std::string& word) {
  const auto it = std::find(words.begin(), words.end(), word);
  if (it == words.end()) throw BadLine("'" + word + "' is none of the words of protocol.md");
  return size_t(it - words.begin());
}

bool FakeSite::* Ignored(const std::string& what) {
  const std::map<std::string, bool FakeSite::*> kinds = {{"holds", &FakeSite::mute_holds},
                                                         {"releases", &FakeSite::loses_releases},
                                                         {"steers", &FakeSite::mute_steers},
                                                         {"listings", &FakeSite::mute_listings}};
  const auto kind = kinds.find(what);
  if (kind == kinds.end()) throw BadLine("right is holds, releases, steers or listings");
  return kind->second;
}

// The fence of a hold that the site has.
Fence HoldOf(const FakeSite& site, const Command& c) {
  const Fence fence = FenceOf(c.Argument(1));
  if (!site.orders.contains(fence)) throw BadLine(site.name_ + " has no hold " + ToText(fence));
  return fence;
}

}  // namespace

const std::map<std::string, void (MetaWorld::*)(FakeSite&, const Command&)>& MetaWorld::Sayings() {
  static const std::map<std::string, void (MetaWorld::*)(FakeSite&, const Command&)> kSayings = {
      {"room", &MetaWorld::Room},        {"counters", &MetaWorld::Counters},
      {"judges", &MetaWorld::Judges},    {"silent", &MetaWorld::Silent},
      {"back", &MetaWorld::Back},        {"ignores", &MetaWorld::Ignores},
      {"minds", &MetaWorld::Minds},      {"ready", &MetaWorld::Ready},
      {"starts", &MetaWorld::Starts},    {"ends", &MetaWorld::Ends},
      {"drops", &MetaWorld::Drops},      {"moves", &MetaWorld::Moves},
      {"offers", &MetaWorld::Offers},    {"says", &MetaWorld::SaysOf},
      {"answers", &MetaWorld::Answers},  {"has", &MetaWorld::Has},
      {"forks", &MetaWorld::Forks},      {"repeats", &MetaWorld::Repeats},
      {"beats", &MetaWorld::Beats},      {"disk", &MetaWorld::Disk},
      {"claims", &MetaWorld::Claims},    {"garbage", &MetaWorld::Garbage},
      {"restarts", &MetaWorld::Restarts}};
  return kSayings;
}

// The command's name is that of the site; its first word tells what the site does.
void MetaWorld::SiteDoes(FakeSite& site, const Command& c) {
  const auto saying = Sayings().find(c.Argument(0));
  if (saying == Sayings().end()) throw BadLine("a site does no such thing");
  (this->*saying->second)(site, c);
  ScriptedFederation::Settle();
}

void MetaWorld::Room(FakeSite& site, const Command& c) {
  site.not_before = InstantOf(c.Argument(1));
  if (!c.Has("told")) return;
  // The summary says the same: nothing is free before.
  site.plan = PlanRevision{site.plan.value + 1};
  schemas::Heartbeat beat{.feed = site.feed, .plan = site.plan, .capacity = site.Machine()};
  beat.capacity->plan = beat.plan;
  beat.capacity->profile = {{Instant{0}, {{{"ncpus", 0}}}},
                            {InstantOf(c.Get("told", "")), {{{"ncpus", 16}}}}};
  Say(site, std::move(beat));
}

void MetaWorld::Counters(FakeSite& site, const Command& c) {
  site.counter = StartsOf(c.Argument(1));
}

void MetaWorld::Judges(FakeSite& site, const Command& c) {
  site.verdict.reset();
  if (c.arguments.size() == 1) return;
  site.verdict = schemas::VerdictEntry{
      .kind = static_cast<schemas::VerdictKind>(IndexOf(kVerdicts, c.Argument(1)))};
}

void MetaWorld::Silent(FakeSite& site, const Command&) { site.cut = true; }

void MetaWorld::Back(FakeSite& site, const Command&) {
  site.cut = false;
  Beat(site);
}

void MetaWorld::Ignores(FakeSite& site, const Command& c) { site.*Ignored(c.Argument(1)) = true; }
void MetaWorld::Minds(FakeSite& site, const Command& c) { site.*Ignored(c.Argument(1)) = false; }

void MetaWorld::Ready(FakeSite& site, const Command& c) {
  ScriptedFederation::Ready(site, HoldOf(site, c));
}
void MetaWorld::Starts(FakeSite& site, const Command& c) {
  ScriptedFederation::Run(site, HoldOf(site, c));
}
void MetaWorld::Ends(FakeSite& site, const Command& c) {
  ScriptedFederation::End(site, HoldOf(site, c), int(c.Number("exit", 0)));
}

schemas::Cause MetaWorld::CauseOf(const FakeSite& site, const Command& c) const {
  schemas::Cause cause{
      .code = static_cast<schemas::CauseCode>(IndexOf(kCauses, c.Get("cause", "none"))),
      .subject = {.site = site.name_, .job = c.Get("by", "")},
      .who = "site:" + site.name_};
  return cause;
}

void MetaWorld::Drops(FakeSite& site, const Command& c) {
  Become(site, HoldOf(site, c), schemas::HoldState::kClosed, schemas::ClosedAs::kDropped,
         CauseOf(site, c));
}

void MetaWorld::Moves(FakeSite& site, const Command& c) {
  const Fence fence = HoldOf(site, c);
  const Instant start = InstantOf(c.Get("to", ""));
  Instant& booked = starts_[{site.name_, fence}];
  if (c.arguments.size() > 2 && c.Argument(2) == "unsaid") {
    booked = start;
    site.causes[fence] = CauseOf(site, c);
    return;
  }
  Change(site, fence,
         schemas::Moved{.old_start = booked,
                        .new_start = start,
                        .deadline = ToMoment(start + site.orders[fence].deadline_after),
                        .cause = CauseOf(site, c)});
  booked = start;
}

void MetaWorld::Offers(FakeSite& site, const Command& c) {
  const IntervalSet starts = StartsOf(c.Argument(2));
  if (!starts.empty()) site.not_before = starts.intervals()[0].begin;
  Say(site, schemas::Offer{.fence = FenceOf(c.Argument(1)), .starts = starts});
}

void MetaWorld::SaysOf(FakeSite& site, const Command& c) {
  const auto report = [&](decltype(schemas::Change::what) what) {
    const Revision next{site.feed.revision.value + 1};
    Say(site, schemas::Report{site.feed, {{next, FenceOf(c.Argument(1)), std::move(what)}}});
  };
  if (c.Argument(2) == "moved") {
    return report(schemas::Moved{.old_start = InstantOf(c.Get("was", "0")),
                                 .new_start = InstantOf(c.Get("to", "")),
                                 .cause = CauseOf(site, c)});
  }
  schemas::HoldChanged changed{
      .state = static_cast<schemas::HoldState>(IndexOf(kHoldStates, c.Argument(2))),
      .request = {uint64_t(c.Number("job", 1))}};
  if (c.Has("start")) changed.start = InstantOf(c.Get("start", ""));
  report(std::move(changed));
}

void MetaWorld::Answers(FakeSite& site, const Command& c) {
  Say(site, schemas::Answers{{{.fence = FenceOf(c.Argument(1))}}});
}

void MetaWorld::Has(FakeSite& site, const Command& c) {
  const Fence fence = FenceOf(c.Argument(1));
  if (site.orders.contains(fence)) throw BadLine(site.name_ + " has hold " + ToText(fence));
  site.orders[fence] = {.fence = fence,
                        .request = {uint64_t(c.Number("job", 0))},
                        .members = Split(c.Get("members", site.name_), ',')};
  starts_[{site.name_, fence}] = InstantOf(c.Get("start", "0"));
  Become(site, fence, static_cast<schemas::HoldState>(IndexOf(kHoldStates, c.Argument(2))));
}

void MetaWorld::Forks(FakeSite& site, const Command&) { site.feed.digest.bytes[0] ^= 1; }

void MetaWorld::Repeats(FakeSite& site, const Command&) { Replay(site, 0); }

void MetaWorld::Beats(FakeSite& site, const Command& c) {
  for (int64_t i = ToNumber(c.Argument(1)); i > 0; --i) Beat(site);
}

void MetaWorld::Disk(FakeSite& site, const Command& c) {
  if (c.Argument(1) != "low" && c.Argument(1) != "free") throw BadLine("right is low or free");
  site.disk_low = c.Argument(1) == "low";
  Beat(site);
}

void MetaWorld::Claims(FakeSite& site, const Command& c) {
  const int64_t cpus = ToNumber(c.Argument(1));
  site.plan = PlanRevision{site.plan.value + 1};
  schemas::Heartbeat beat{.feed = site.feed, .plan = site.plan, .capacity = site.Machine()};
  schemas::Capacity& capacity = *beat.capacity;
  capacity.plan = beat.plan;
  schemas::NodeClass& alike = capacity.classes[0];
  alike.per_node = {{"ncpus", cpus}};
  capacity.total = alike.per_node * alike.count;
  capacity.profile = {{Instant{0}, {capacity.total}}};
  capacity.free_now = capacity.total;
  Say(site, std::move(beat));
}

void MetaWorld::Garbage(FakeSite& site, const Command& c) {
  std::vector<meta::Event> garbage(size_t(ToNumber(c.Argument(1))),
                                   meta::SiteGarbage{site.name_, "no message"});
  Turn(std::move(garbage));
}

void MetaWorld::Restarts(FakeSite& site, const Command& c) {
  site.incarnation =
      Incarnation{uint64_t(c.Number("incarnation", int64_t(site.incarnation.value) + 1))};
  Say(site, schemas::Hello{.incarnation = site.incarnation,
                           .highest_epoch = {uint64_t(c.Number("epoch", 0))},
                           .feed = site.feed,
                           .capacity = site.Machine()});
}

}  // namespace muster::scenario
