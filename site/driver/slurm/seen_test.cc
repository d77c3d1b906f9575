// What a site is told of local work, look by look.
#include "site/driver/slurm/seen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <set>

namespace muster::driver::slurm::seen_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant kNow{1'000'000};

Look LookWith(std::vector<Job> jobs, std::vector<Reservation> reservations = {}) {
  Look look{.at = ToMoment(kNow), .jobs = std::move(jobs), .reservations = std::move(reservations)};
  look.nodes = {{.name = "n1", .cpus = 4, .memory = 8}, {.name = "n2", .cpus = 4}};
  look.partitions = {{.name = "main", .nodes = {"n1", "n2"}}};
  return look;
}
Job Running(uint32_t id, Instant start, Span limit) {
  return {.id = id,
          .submitted = start,
          .name = "theirs",
          .user = "ana",
          .state = JobState::kRunning,
          .start = start,
          .limit = limit,
          .nodes = {{.node = "n1", .cpus = 2}}};
}
Seen NewSeen() { return Seen({.prefix = "mu_AB_", .commons = {"fed"}}); }

TEST(SlurmSeen, TellsAllAtFirstAndThenWhatHasChanged) {
  Seen seen = NewSeen();
  const Look look = LookWith({Running(7, kNow - Span{10}, Span{60})});
  Outside first = seen.Next(look);
  EXPECT_TRUE(first.whole);
  ASSERT_THAT(first.set, SizeIs(1));
  EXPECT_EQ(first.set[0].label, "slurm 7 ana");
  EXPECT_EQ(first.set[0].when, (Interval{kNow - Span{10}, kNow + Span{50}}));
  EXPECT_LT(first.set[0].key, uint64_t{1} << 62);
  EXPECT_THAT(first.nodes, SizeIs(2));
  const Outside second = seen.Next(look);
  EXPECT_FALSE(second.whole);
  EXPECT_THAT(second.set, IsEmpty());
  EXPECT_THAT(second.nodes, IsEmpty());
  const Outside third = seen.Next(LookWith({}));
  EXPECT_THAT(third.gone, testing::ElementsAre(first.set[0].key));
}

TEST(SlurmSeen, AnIdThatIsGivenOutAgainIsAnotherBooking) {
  Seen seen = NewSeen();
  const auto before = seen.Next(LookWith({Running(7, kNow - Span{10}, Span{60})}));
  const auto after = seen.Next(LookWith({Running(7, kNow - Span{5}, Span{60})}));
  EXPECT_THAT(after.set, SizeIs(1));
  EXPECT_THAT(after.gone, testing::ElementsAre(before.set[0].key));
}

TEST(SlurmSeen, AJobBeyondItsLimitEndsAMinuteFromNowAndIsNotToldAtEachLook) {
  Seen seen = NewSeen();
  Look look = LookWith({Running(7, kNow - Span{100}, Span{60})});
  EXPECT_EQ(seen.Next(look).set.at(0).when.end, kNow + kRolling);
  look.at = ToMoment(kNow + Span{30});
  EXPECT_THAT(seen.Next(look).set, IsEmpty());
  look.at = ToMoment(kNow + Span{45});
  EXPECT_EQ(seen.Next(look).set.at(0).when.end, kNow + Span{45} + kRolling);
}

TEST(SlurmSeen, APlannedJobIsSoftOrLeftOut) {
  Job planned = Running(8, kNow + Span{100}, Span{60});
  planned.state = JobState::kPending;
  EXPECT_TRUE(NewSeen().Next(LookWith({planned})).set.at(0).soft);
  Seen ignores({.prefix = "mu_AB_", .respect_pending = false});
  EXPECT_THAT(ignores.Next(LookWith({planned})).set, IsEmpty());
  planned.start = Instant{0};
  EXPECT_THAT(NewSeen().Next(LookWith({planned})).set, IsEmpty());
}

TEST(SlurmSeen, LicencesAreOfWhoRunsAndOfReservations) {
  Job runs = Running(7, kNow, Span{60}), waits = Running(8, kNow, Span{60});
  runs.licences = waits.licences = {{"matlab", 2}};
  waits.state = JobState::kPending;
  Job within = Running(9, kNow, Span{60});
  within.licences = {{"matlab", 2}};
  within.reservation = "course";
  const Reservation course{
      .name = "course", .when = {kNow, kNow + Span{100}}, .licences = {{"matlab", 1}}};
  Job second = within;  // its reservation has no more for it
  second.id = 10;
  Look look = LookWith({runs, waits, within, second}, {course});
  look.settings.licences = {{"matlab", 8}};
  std::map<std::string, int64_t> has;
  for (const auto& booking : NewSeen().Next(look).set) {
    has[booking.label] = booking.jobwide.Get("licence_matlab");
  }
  EXPECT_EQ(has, (std::map<std::string, int64_t>{{"slurm 7 ana", 2},
                                                 {"slurm 8 ana", 0},
                                                 {"slurm 9 ana", 1},
                                                 {"slurm 10 ana", 2},
                                                 {"reservation course", 1}}));
  EXPECT_EQ(JobwideFacts(look, {}), (ResourceSet{{"licence_matlab", 8}}));
  // Where only the commons is used, its licences are the site's, and those of others are not.
  look.reservations.push_back({.name = "fed", .licences = {{"matlab", 3}}});
  const SeenOptions commons{.prefix = "mu_AB_", .commons = {"fed"}, .only_commons = true};
  EXPECT_EQ(JobwideFacts(look, commons), (ResourceSet{{"licence_matlab", 3}}));
  for (const auto& booking : Seen(commons).Next(look).set) EXPECT_TRUE(booking.jobwide.empty());
}

TEST(SlurmSeen, OwnJobsAndOwnWallsAreNotOutside) {
  Job own = Running(7, kNow, Span{60});
  own.name = "mu_AB_1.2.3.4";
  const Reservation wall{
      .name = "mu_AB_1.2", .when = {kNow, kNow + Span{60}}, .nodes = {{"n1", 0}}};
  EXPECT_THAT(NewSeen().Next(LookWith({own}, {wall})).set, IsEmpty());
  EXPECT_EQ(TokenOf(own, "mu_AB_"), "1.2.3.4");
  EXPECT_EQ(TokenOf(own, "mu_CD_"), "");
}

TEST(SlurmSeen, AReservationOfCoresIsNotOfWholeNodesAndARecurringOneComesAgain) {
  const Reservation some{.name = "lab", .when = {kNow, kNow + Span{60}}, .nodes = {{"n1", 2}}};
  const Reservation daily{.name = "daily",
                          .when = {kNow + Span{100}, kNow + Span{160}},
                          .nodes = {{"n1", 0}, {"n2", 0}},
                          .recurs = Span{86400}};
  const Outside outside = NewSeen().Next(LookWith({}, {some, daily}));
  ASSERT_THAT(outside.set, SizeIs(1 + 14));
  int whole = 0;
  for (const OutsideBooking& booking : outside.set) {
    EXPECT_TRUE(booking.reserved);
    whole += booking.whole_nodes;
  }
  EXPECT_EQ(whole, 14);
}

TEST(SlurmSeen, TheCommonsIsNoBookingButMarksItsNodesAndItsIntrudersAreFound) {
  const Reservation fed{.name = "fed", .when = {kNow - Span{9}, kFarFuture}, .nodes = {{"n2", 0}}};
  Job intruder = Running(9, kNow, Span{60});
  intruder.reservation = "fed";
  const Look look = LookWith({intruder}, {fed});
  const Outside outside = NewSeen().Next(look);
  EXPECT_FALSE(outside.nodes.at(0).commons);
  EXPECT_TRUE(outside.nodes.at(1).commons);
  EXPECT_THAT(outside.set, SizeIs(1));
  EXPECT_THAT(Intruders(look, {.prefix = "mu_AB_", .commons = {"fed"}}), SizeIs(1));
}

// While it lives, the process is in this time zone.
class InZone {
 public:
  explicit InZone(const char* zone) { Set(zone); }
  ~InZone() { Set("UTC"); }

 private:
  static void Set(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }
};

TEST(SlurmSeen, RecurringReservationsGoByTheDaysAndTheClockOfTheTimeZone) {
  const InZone zone("AHEAD-12");  // twelve hours before UTC
  // 2026-11-29 is a Sunday; at 20:00 UTC it is Monday 08:00 there.
  const Instant monday{1'795'982'400};
  const Reservation weekdays{.name = "class",
                             .when = {monday, monday + Span{600}},
                             .nodes = {{"n1", 0}},
                             .recurs = Span{86400},
                             .weekdays_only = true};
  Look look = LookWith({}, {weekdays});
  look.at = ToMoment(monday - Span{60});
  std::set<int64_t> days;
  for (const OutsideBooking& booking : NewSeen().Next(look).set) {
    days.insert((booking.when.begin.seconds - monday.seconds) / 86400);
  }
  EXPECT_THAT(days, testing::ElementsAre(0, 1, 2, 3, 4, 7, 8, 9, 10, 11));
}

TEST(SlurmSeen, ADailyReservationKeepsItsHourOverASwitchOfTheClock) {
  const InZone zone("EST5EDT,M3.2.0,M11.1.0");
  const Instant before{1'793'455'200};  // 2026-10-31, 10:00 there; the clock goes back that night
  const Reservation daily{.name = "daily",
                          .when = {before, before + Span{600}},
                          .nodes = {{"n1", 0}},
                          .recurs = Span{86400}};
  Look look = LookWith({}, {daily});
  look.at = ToMoment(before - Span{60});
  std::set<Instant> begins;
  for (const OutsideBooking& booking : NewSeen().Next(look).set) begins.insert(booking.when.begin);
  EXPECT_TRUE(begins.contains(before + Span{25 * 3600}));
}

TEST(SlurmSeen, ANodeHostsPartsAsLongAsTheLongestOfItsPartitionsAllows) {
  Look look = LookWith({});
  look.partitions[0].most_time = Span{600};
  const auto limit = [&](const char* node) {
    for (const OutsideNode& told : NewSeen().Next(look).nodes) {
      if (told.node == node) return told.most_time;
    }
    return Span{-1};
  };
  EXPECT_GT(limit("n1"), Span{580});
  EXPECT_LT(limit("n1"), Span{600});
  EXPECT_EQ(NewSeen().Next(look).nodes.at(0).limited_by, "MaxTime of partition main");
  look.partitions.push_back({.name = "long", .nodes = {"n2"}});
  EXPECT_EQ(limit("n2"), Span{0});
  EXPECT_GT(limit("n1"), Span{0});
}

TEST(SlurmSeen, WithoutWallsNodesBesideTheCommonsAreNotUsed) {
  const Reservation fed{.name = "fed", .when = {kNow - Span{9}, kFarFuture}, .nodes = {{"n2", 0}}};
  Seen seen({.prefix = "mu_AB_", .commons = {"fed"}, .only_commons = true});
  const Outside outside = seen.Next(LookWith({}, {fed}));
  EXPECT_FALSE(outside.nodes.at(0).usable);
  EXPECT_EQ(outside.nodes.at(0).why, "not in the commons");
  EXPECT_TRUE(outside.nodes.at(1).usable);
}

TEST(SlurmSeen, AJobOfACheckByRootIsNoIntruder) {
  Job check = Running(9, kNow, Span{60});
  check.reservation = "fed";
  check.name = "muster_check_17";
  const SeenOptions options{.prefix = "mu_AB_", .commons = {"fed"}};
  EXPECT_THAT(Intruders(LookWith({check}), options), SizeIs(1)) << "of a user";
  check.user = "root";
  EXPECT_THAT(Intruders(LookWith({check}), options), IsEmpty());
}

TEST(SlurmSeen, NodesThatAreDownDrainedOrGoneAreNotUsable) {
  Seen seen = NewSeen();
  Look look = LookWith({});
  seen.Next(look);
  look.nodes[0].state = NodeState::kDown;
  look.nodes[1].state = NodeState::kDrained;
  look.nodes[1].why = "a \"b\"";
  const Outside outside = seen.Next(look);
  ASSERT_THAT(outside.nodes, SizeIs(2));
  EXPECT_EQ(outside.nodes[0].code, schemas::CauseCode::kNodeLost);
  EXPECT_EQ(outside.nodes[1].code, schemas::CauseCode::kOperator);
  EXPECT_EQ(outside.nodes[1].why, "drained: a \"b\"");
  look.nodes.clear();
  EXPECT_THAT(seen.Next(look).nodes, SizeIs(2));
}

TEST(SlurmSeen, FactsHaveFeaturesAsProperties) {
  Look look = LookWith({});
  look.nodes[0].features = {"ib", "rack=3"};
  look.nodes[0].gpus = 2;
  const auto facts = FactsOf(look, {.prefix = "mu_AB_"});
  ASSERT_THAT(facts, SizeIs(2));
  EXPECT_EQ(facts[0].properties.at("ib"), "true");
  EXPECT_EQ(facts[0].properties.at("rack"), "3");
  EXPECT_EQ(facts[0].resources.Get("ngpus"), 2);
  EXPECT_EQ(facts[0].resources.Get("ncpus"), 4);
}

}  // namespace
}  // namespace muster::driver::slurm::seen_test
