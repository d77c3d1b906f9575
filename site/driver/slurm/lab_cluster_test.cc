// Walls, local work and faults of a real cluster.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include "site/driver/slurm/lab_fixture.h"

namespace muster::driver::slurm {
namespace {

using testing::HasSubstr;

class LabCluster : public Lab {
 protected:
  const OutsideBooking* Booking(const std::string& label) const {
    const OutsideBooking* found = nullptr;
    for (const Event& event : events_) {
      const auto* outside = std::get_if<Outside>(&event);
      if (outside == nullptr) continue;
      for (const OutsideBooking& booking : outside->set) {
        if (booking.label.find(label) != std::string::npos) found = &booking;
      }
    }
    return found;
  }
  const OutsideNode* NodeNews(const std::string& node) const {
    const OutsideNode* found = nullptr;
    for (const Event& event : events_) {
      const auto* outside = std::get_if<Outside>(&event);
      if (outside == nullptr) continue;
      for (const OutsideNode& news : outside->nodes) {
        if (news.node == node) found = &news;
      }
    }
    return found;
  }
  bool Gone(uint64_t key) const {
    for (const Event& event : events_) {
      const auto* outside = std::get_if<Outside>(&event);
      if (outside == nullptr) continue;
      for (const uint64_t gone : outside->gone) {
        if (gone == key) return true;
      }
    }
    return false;
  }
  bool Blind() const {
    bool blind = false;
    for (const Event& event : events_) {
      if (const auto* sight = std::get_if<Sight>(&event)) blind = sight->blind;
    }
    return blind;
  }
  // Each at its time, in milliseconds of the wall clock.
  void ActWhenDue(const std::map<int64_t, std::function<void()>>& due) {
    for (const auto& [when, act] : due) {
      while (Now().milliseconds < when) Sleep(5);
      act();
    }
  }
  static void StartController() { Slurm("slurmctld -f " + LabConf()); }
};

TEST_F(LabCluster, WallsStandOnceReadBackAndPartsRunBehindThem) {
  const Instant at = InSeconds(12);
  driver_->Do(WallOf("1.1", 1, 4, {at - Span{6}, at + Span{120}}));
  driver_->Do(WallOf("1.2", 2, 1, {at - Span{6}, at + Span{120}}));
  driver_->Do(WallOf("1.3", 2, 3, {at - Span{6}, at + Span{120}}));
  ASSERT_TRUE(Await([&] {
    return OfWall<WallStands>("1.1") && OfWall<WallStands>("1.2") && OfWall<WallStands>("1.3");
  })) << Slurm("scontrol show reservation");
  EXPECT_EQ(OfWall<WallStands>("1.2")->serial, 7u);
  driver_->Do(WallOf("1.4", 2, 1, {at, at + Span{60}}));
  ASSERT_TRUE(Await([&] { return OfWall<WallRefused>("1.4") != nullptr; }));
  EXPECT_TRUE(OfWall<WallRefused>("1.4")->again);
  const std::string token = NewToken();
  StartPart part = PartOf(token, 2, 3, at, Span{20}, "sleep 2");
  part.wall = "mu_TEST_1.3";
  while (Now() < ToMoment(at - driver_->facts().start_ahead)) Sleep(5);
  driver_->Do(part);
  const auto* started = AwaitOf<PartStarted>(token);
  ASSERT_NE(started, nullptr);
  EXPECT_LT(started->at.milliseconds, ToMoment(at).milliseconds + 1000);
  // A wall behind a part that runs is put over it; the part's own is dropped at once or repeatedly.
  driver_->Do(WallOf("1.5", 3, 4, {at + Span{200}, at + Span{300}}));
  driver_->Do(DropWall{.wall = "mu_TEST_1.3"});
  ASSERT_TRUE(Await([&] { return OfWall<WallStands>("1.5") != nullptr; }));
  ASSERT_NE(AwaitOf<PartEnded>(token), nullptr);
  const int64_t error = BeganAfter(token, at);
  std::printf("[ start    ] behind a wall: error %d ms\n", int(error));
  EXPECT_GE(error, 0);
  EXPECT_LT(error, 1000);
  EXPECT_TRUE(Await([&] {
    return Slurm("scontrol -o show reservation").find("mu_TEST_1.3") == std::string::npos;
  }));
  // Changed: its end, its nodes.
  events_.clear();
  driver_->Do(WallOf("1.1", 4, 4, {at + Span{60}, at + Span{180}}));
  ASSERT_TRUE(Await([&] { return OfWall<WallStands>("1.1") || OfWall<WallRefused>("1.1"); }));
  EXPECT_NE(OfWall<WallStands>("1.1"), nullptr) << OfWall<WallRefused>("1.1")->why;
}

// Slurm starts nothing on a node where a job is completing, and looks again some time later.
TEST_F(LabCluster, AJobThatIsCompletingOnItsNodeDoesNotMakeAPartLate) {
  const Span ahead = driver_->facts().start_ahead;
  const int64_t ends_ms = ahead > Span{4} ? 4600 : 1600;  // before the part's second; then 3 s
  std::vector<std::string> locals, tokens;
  for (int i = 0; i < 3; ++i) {
    locals.push_back(
        Slurm("sbatch --parsable -n1 -t10 -o /dev/null --wrap='sleep 300' -w " + Node(1 + i)));
  }
  ASSERT_TRUE(Await([&] { return Slurm("squeue -h -t R -o %i").size() >= 5; }));
  std::ofstream(LabFolder() + "/slow_epilog");
  const Instant first = InSeconds(ahead.seconds + 1);
  std::map<int64_t, std::function<void()>> due;  // in whichever phase of Slurm's
  for (int i = 0; i < 3; ++i) {
    const Instant at = first + Span{i};
    tokens.push_back(NewToken());
    due[ToMoment(at - ahead).milliseconds + i] = [&, i, at] {
      driver_->Do(PartOf(tokens[i], 1 + i, 1, at, Span{30}, "sleep 1"));
    };
    due[ToMoment(at).milliseconds - ends_ms + i] = [&, i] { Slurm("scancel " + locals[i]); };
  }
  ActWhenDue(due);
  for (const std::string& token : tokens) AwaitOf<PartEnded>(token);
  std::filesystem::remove(LabFolder() + "/slow_epilog");
  int64_t most = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_NE(Of<PartEnded>(tokens[i]), nullptr) << tokens[i];
    most = std::max(most, BeganAfter(tokens[i], first + Span{i}));
  }
  std::printf("[ start    ] beside jobs that complete: error %d ms at most\n", int(most));
  EXPECT_LT(most, 700);
}

TEST_F(LabCluster, APartStartsInItsSecondBehindAWallThatBeginsATurnoverBefore) {
  const driver::Facts facts = driver_->facts();
  const Instant first = InSeconds(facts.turnover.seconds + 4);
  std::vector<std::string> tokens;
  std::map<int64_t, std::function<void()>> due;
  for (int i = 0; i < 4; ++i) {  // in whichever phase of Slurm's
    const std::string number = std::to_string(i);
    const Instant at = first + Span{3 * i};
    driver_->Do(WallOf("8." + number, 1 + i % 2, 1, {at - facts.turnover, at + Span{120}}));
    tokens.push_back(NewToken());
    due[ToMoment(at - facts.start_ahead).milliseconds + i] = [&, i, at, number] {
      StartPart part = PartOf(tokens[i], 1 + i % 2, 1, at, Span{20}, "true");
      part.wall = "mu_TEST_8." + number;
      driver_->Do(part);
    };
  }
  ActWhenDue(due);
  int64_t most = 0;
  for (int i = 0; i < 4; ++i) {
    ASSERT_NE(AwaitOf<PartEnded>(tokens[i]), nullptr) << tokens[i];
    most = std::max(most, BeganAfter(tokens[i], first + Span{3 * i}));
  }
  std::printf("[ start    ] behind walls: error %d ms at most\n", int(most));
  EXPECT_LT(most, 700);
}

// The clusters have two.
TEST_F(LabCluster, AWallKeepsLicencesThatNobodyHas) {
  ASSERT_EQ(driver_->facts().jobwide, (ResourceSet{{"licence_matlab", 2}}));
  const std::string local =
      Slurm("sbatch --parsable -n1 -t10 -L matlab:1 -o /dev/null --wrap='sleep 300'");
  ASSERT_TRUE(Await([&] { return Slurm("squeue -h -o %T -j " + local) == "RUNNING"; }));
  const Instant at = InSeconds(12);
  PutWall both = WallOf("6.1", 1, 1, {at - Span{6}, at + Span{120}});
  both.jobwide = {{"licence_matlab", 2}};
  driver_->Do(both);
  ASSERT_TRUE(Await([&] { return OfWall<WallRefused>("6.1") || OfWall<WallStands>("6.1"); }));
  ASSERT_NE(OfWall<WallRefused>("6.1"), nullptr) << "a local job has one";
  PutWall one = WallOf("6.2", 1, 1, {at - Span{6}, at + Span{120}});
  one.jobwide = {{"licence_matlab", 1}, {"disk", 9}};
  driver_->Do(one);
  ASSERT_TRUE(Await([&] { return OfWall<WallStands>("6.2") != nullptr; }));
  const std::string waits =
      Slurm("sbatch --parsable -n1 -t10 -L matlab:1 -o /dev/null --wrap='sleep 300'");
  const std::string token = NewToken();
  StartPart part = PartOf(token, 1, 1, at, Span{20}, "sleep 3");
  part.wall = "mu_TEST_6.2";
  part.jobwide = one.jobwide;
  while (Now() < ToMoment(at - driver_->facts().start_ahead)) Sleep(5);
  driver_->Do(part);
  ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
  EXPECT_EQ(Slurm("squeue -h -o %W -j " + JobOf(token)), "(null)") << "its reservation has it";
  EXPECT_EQ(Slurm("squeue -h -o %T -j " + waits), "PENDING");
  ASSERT_NE(AwaitOf<PartEnded>(token), nullptr);
  bool told = false;  // the local one's, too
  for (const Event& event : events_) {
    const auto* outside = std::get_if<Outside>(&event);
    if (outside == nullptr) continue;
    for (const OutsideBooking& booking : outside->set) {
      told = told || booking.jobwide.Get("licence_matlab") == 1;
    }
  }
  EXPECT_TRUE(told);
}

TEST_F(LabCluster, PartsWithALicenceEachRunBesideEachOther) {
  const Instant at = InSeconds(12);
  std::vector<std::string> tokens;
  for (const int64_t later : {0, 4}) {
    const std::string name = "7." + std::to_string(later);
    const int node = later == 0 ? 1 : 2;
    PutWall wall = WallOf(name, node, 1, {at + Span{later - 6}, at + Span{later + 120}});
    wall.jobwide = {{"licence_matlab", 1}};
    driver_->Do(wall);
    ASSERT_TRUE(Await([&] { return OfWall<WallStands>(name) != nullptr; }));
    const std::string& token = tokens.emplace_back(NewToken());
    StartPart part = PartOf(token, node, 1, at + Span{later}, Span{30}, "sleep 12");
    part.wall = wall.wall;
    part.jobwide = wall.jobwide;
    while (Now() < ToMoment(part.not_before - driver_->facts().start_ahead)) Sleep(5);
    driver_->Do(part);
  }
  for (const std::string& token : tokens) {
    const auto* started = AwaitOf<PartStarted>(token);
    ASSERT_NE(started, nullptr) << Slurm("squeue");
    EXPECT_EQ(Of<PartEnded>(tokens[0]), nullptr) << "both at one time";
  }
}

// A look that was under way when they were put does not have them.
TEST_F(LabCluster, WallsThatArePutWhileTheClusterIsLookedAtAreNeitherLostNorPutAgain) {
  constexpr int kRounds = 8;
  constexpr int kWalls = 40;
  for (int round = 0; round < kRounds; ++round) {
    events_.clear();
    driver_->Do(Reconcile{});  // settles at the next look
    const Instant first = InSeconds(600);
    const auto name = [&](int i) { return "r" + std::to_string(round) + "." + std::to_string(i); };
    for (int i = 0; i < kWalls; ++i) {
      const Instant begin = first + Span{600 * int64_t{i / 4}};
      driver_->Do(WallOf(name(i), 1 + i % 4, 4, {begin, begin + Span{300}}));
    }
    ASSERT_TRUE(Await([&] { return Count<WallStands>() == kWalls; }));
    const std::string token = NewToken();
    driver_->Do(PartOf(token, 1, 1, InSeconds(20), Span{5}, "true"));
    driver_->Do(StopPart{.token = token});  // settles, too
    ASSERT_NE(AwaitOf<PartNotStarted>(token), nullptr);
    for (int i = 0; i < kWalls; ++i) driver_->Do(DropWall{.wall = "mu_TEST_" + name(i)});
    ASSERT_TRUE(Await([] {
      return Slurm("scontrol -o show reservation").find("mu_TEST_r") == std::string::npos;
    }));
    EXPECT_EQ(Count<WallLost>(), 0);
    EXPECT_EQ(Count<WallStands>(), kWalls);
  }
}

TEST_F(LabCluster, AWallIsPutBehindAPartThatRunsThere) {
  const std::string token = NewToken();
  const Instant at = InSeconds(3);
  driver_->Do(PartOf(token, 1, 4, at, Span{10}, "sleep 4"));
  ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
  driver_->Do(WallOf("2.1", 1, 4, {at + Span{12}, at + Span{80}}));
  ASSERT_TRUE(Await([&] { return OfWall<WallStands>("2.1") || OfWall<WallRefused>("2.1"); }));
  EXPECT_NE(OfWall<WallStands>("2.1"), nullptr) << OfWall<WallRefused>("2.1")->why;
  ASSERT_NE(AwaitOf<PartEnded>(token), nullptr);
}

// A place that is to be left for a better one keeps its wall until the better one has its own.
TEST_F(LabCluster, AWallLiesOverTheOneThatItReplacesAndOverNoOther) {
  for (const int64_t cpus : {4, 3}) {
    const std::string of = "7." + std::to_string(cpus);
    const auto put = [&](const PutWall& wall) {
      events_.clear();
      driver_->Do(wall);
      const std::string name = wall.wall.substr(std::string("mu_TEST_").size());
      Await([&] { return OfWall<WallStands>(name) || OfWall<WallRefused>(name); });
      return OfWall<WallStands>(name) != nullptr;
    };
    const Instant at = InSeconds(12);
    const PutWall old = WallOf(of + "old", 1, cpus, {at + Span{18}, at + Span{82}});
    PutWall next = WallOf(of + "next", 1, cpus, {at - Span{2}, at + Span{62}});
    ASSERT_TRUE(put(old));
    EXPECT_FALSE(put(next));
    next.beside = {old.wall};
    ASSERT_TRUE(put(next));
    PutWall third = WallOf(of + "third", 1, cpus, {at + Span{8}, at + Span{72}});
    third.beside = {old.wall};
    EXPECT_FALSE(put(third));
    driver_->Do(DropWall{.wall = old.wall});
    const std::string token = NewToken();
    StartPart part = PartOf(token, 1, cpus, at, Span{10}, "sleep 1");
    part.wall = next.wall;
    driver_->Do(part);
    const auto* ended = AwaitOf<PartEnded>(token);
    ASSERT_NE(ended, nullptr);
    EXPECT_EQ(ended->end.exit_code, 0);
    EXPECT_GE(BeganAfter(token, at), 0);
    EXPECT_LT(BeganAfter(token, at), 500);
    driver_->Do(DropWall{.wall = next.wall});
    EXPECT_TRUE(Await([&] {
      return Slurm("scontrol -o show reservation").find("mu_TEST_" + of) == std::string::npos;
    }));
  }
}

// Where Slurm does not change a reservation, one that was deleted first would let the job in.
TEST_F(LabCluster, AWallOfCoresIsChangedWhileALocalJobWaitsForItsCores) {
  const Instant at = InSeconds(300);
  const auto put = [&](const PutWall& wall) {
    events_.clear();
    driver_->Do(wall);
    const std::string name = wall.wall.substr(std::string("mu_TEST_").size());
    Await([&] { return OfWall<WallStands>(name) || OfWall<WallRefused>(name); });
    return OfWall<WallStands>(name) != nullptr && Count<WallLost>() == 0;
  };
  ASSERT_TRUE(put(WallOf("8.1", 1, 3, {at, at + Span{60}})));
  const std::string job =
      Slurm("sbatch --parsable -N1 -w " + Node(1) + " -n4 -t 30 -o /dev/null --wrap='sleep 60'");
  for (int i = 1; i <= 20; ++i) {
    const Instant begin = at - Span{i};
    EXPECT_TRUE(put(WallOf("8.1", 1, 3, {begin, begin + Span{60}}))) << i;
  }
  EXPECT_EQ(Slurm("squeue -h -o %T -j " + job), "PENDING");
  EXPECT_TRUE(put(WallOf("8.1", 1, 2, {at, at + Span{60}}))) << "other cores";
  // Where somebody is in the way, a change by choice is refused and nothing is risked.
  ASSERT_TRUE(put(WallOf("8.2", 1, 2, {at, at + Span{60}})));
  PutWall more = WallOf("8.1", 1, 3, {at, at + Span{60}});
  more.by_choice = true;
  EXPECT_FALSE(put(more)) << Slurm("scontrol -o show reservation");
  EXPECT_TRUE(OfWall<WallRefused>("8.1")->again);
  ASSERT_TRUE(put(WallOf("8.1", 1, 2, {at, at + Span{60}}))) << "as it stands";
  EXPECT_EQ(Slurm("squeue -h -o %T -j " + job), "PENDING");
  Slurm("scancel " + job);
  for (const char* name : {"8.1", "8.2"}) {
    driver_->Do(DropWall{.wall = std::string("mu_TEST_") + name});
  }
  EXPECT_TRUE(Await([&] {
    return Slurm("scontrol -o show reservation").find("mu_TEST_8") == std::string::npos;
  }));
}

// Of whole nodes a reservation that is in use takes a new end; of cores Slurm changes nothing, and
// the part's own limit keeps them.
TEST_F(LabCluster, AWallWithItsPartInItIsGoodForLonger) {
  for (const int64_t cpus : {4, 1}) {
    const std::string name = "6." + std::to_string(cpus);
    const std::string token = NewToken();
    const Instant at = InSeconds(5);
    driver_->Do(WallOf(name, 1, cpus, {at - Span{2}, at + Span{62}}));
    ASSERT_TRUE(Await([&] { return OfWall<WallStands>(name) != nullptr; }));
    StartPart part = PartOf(token, 1, cpus, at, Span{20}, "sleep 8");
    part.wall = "mu_TEST_" + name;
    driver_->Do(part);
    ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
    events_.clear();
    driver_->Do(WallOf(name, 1, cpus, {at - Span{2}, at + Span{122}}));
    ASSERT_TRUE(Await([&] { return OfWall<WallStands>(name) || OfWall<WallRefused>(name); }));
    EXPECT_NE(OfWall<WallStands>(name), nullptr) << OfWall<WallRefused>(name)->why;
    ASSERT_NE(AwaitOf<PartEnded>(token), nullptr);
    driver_->Do(DropWall{.wall = "mu_TEST_" + name});
    EXPECT_TRUE(Await([&] {
      return Slurm("scontrol -o show reservation").find("mu_TEST_" + name) == std::string::npos;
    }));
    EXPECT_EQ(Count<WallLost>(), 0);
  }
}

TEST_F(LabCluster, AWallIsRefusedWhereALocalJobSitsAndTheJobIsToldFirst) {
  const std::string job =
      Slurm("sbatch --parsable -w " + Node(1) + " -n4 -t 10 -o /dev/null --wrap='sleep 60'");
  ASSERT_TRUE(Await([&] { return Slurm("squeue -h -o %T -j " + job) == "RUNNING"; }));
  driver_->Do(WallOf("3.1", 1, 4, {InSeconds(30), InSeconds(90)}));
  ASSERT_TRUE(Await([&] { return OfWall<WallRefused>("3.1") != nullptr; }));
  EXPECT_TRUE(OfWall<WallRefused>("3.1")->again);
  const OutsideBooking* booking = Booking("slurm " + job + " ");
  ASSERT_NE(booking, nullptr);
  EXPECT_TRUE(booking->running);
}

TEST_F(LabCluster, LocalJobsReservationsAndDrainedNodesAreSeenWithinASecond) {
  const Moment before = Now();
  const std::string job =
      Slurm("sbatch --parsable -w " + Node(2) + " -n3 -t 3 -o /dev/null --wrap='sleep 3'");
  ASSERT_TRUE(Await([&] {
    const auto* booking = Booking("slurm " + job + " root");
    return booking != nullptr && booking->running;
  }));
  const OutsideBooking booking = *Booking("slurm " + job + " root");
  EXPECT_EQ(booking.chunks.at(0).node, Node(2));
  EXPECT_EQ(booking.chunks.at(0).resources.Get("ncpus"), 3);
  EXPECT_EQ(booking.when.end - booking.when.begin, Span{180});
  std::printf("[ seen     ] a local job after %d ms\n",
              int(Now().milliseconds - before.milliseconds));
  Slurm(
      "scontrol create reservation ReservationName=maint StartTime=now+3600 Duration=60 Users=root "
      "Nodes=" +
      Node(4));
  EXPECT_TRUE(Await([&] { return Booking("reservation maint") != nullptr; }, 2000));
  EXPECT_TRUE(Booking("reservation maint")->reserved);
  Slurm("scontrol update NodeName=" + Node(3) + " State=DRAIN Reason='a \"b\" c'");
  const Moment drained = Now();
  EXPECT_TRUE(Await([&] { return NodeNews(Node(3)) && !NodeNews(Node(3))->usable; }, 2000));
  std::printf("[ seen     ] a drained node after %d ms\n",
              int(Now().milliseconds - drained.milliseconds));
  EXPECT_EQ(NodeNews(Node(3))->code, schemas::CauseCode::kOperator);
  EXPECT_THAT(NodeNews(Node(3))->why, HasSubstr("a \"b\" c"));
  Slurm("scontrol update NodeName=" + Node(3) + " State=RESUME");
  EXPECT_TRUE(Await([&] { return NodeNews(Node(3))->usable; }, 3000));
  EXPECT_TRUE(Await([&] { return Gone(booking.key); }, 15'000));
}

// walls.h (Reconcile): of what did not change since a whole Outside would follow no difference.
TEST_F(LabCluster, ACoreThatTakesThePlaceOfAnotherIsToldAllThereIs) {
  const std::string job =
      Slurm("sbatch --parsable -w " + Node(2) + " -n3 -t 3 -o /dev/null --wrap='sleep 60'");
  ASSERT_TRUE(Await([&] { return Booking("slurm " + job + " root") != nullptr; }));
  Sleep(2500);
  Poll();
  events_.clear();
  driver_->Do(FindParts{});
  driver_->Do(Reconcile{});
  const auto whole = [&]() -> const Outside* {
    for (const Event& event : events_) {
      if (const auto* outside = std::get_if<Outside>(&event); outside && outside->whole)
        return outside;
    }
    return nullptr;
  };
  ASSERT_TRUE(Await([&] { return whole() != nullptr; }, 3000));
  ASSERT_EQ(whole()->set.size(), 1u);
  EXPECT_EQ(whole()->set[0].label, "slurm " + job + " root");
  EXPECT_EQ(whole()->nodes.size(), driver_->facts().nodes.size());
}

TEST_F(LabCluster, APartIsStartedAtItsSecondThoughTheControllerWasKilledAfterItsSubmission) {
  for (const int64_t delay_ms : {0, 200, 900}) {
    const std::string token = NewToken();
    const Instant at = InSeconds(14);
    driver_->Do(PartOf(token, 1, 1, at, Span{20}, "sleep 1"));
    const std::string second = NewToken();
    driver_->Do(PartOf(second, 2, 1, at, Span{20}, "sleep 1"));
    ASSERT_TRUE(Await([&] { return !JobOf(second).empty(); }));
    Sleep(delay_ms);
    kill(static_cast<pid_t>(ControllerPid()), SIGKILL);
    Sleep(700);
    StartController();
    for (const std::string& each : {token, second}) {
      Await([&] { return Of<PartStarted>(each) || Of<PartNotStarted>(each); }, 60'000);
      const auto* started = Of<PartStarted>(each);
      EXPECT_TRUE(started != nullptr || Of<PartNotStarted>(each) != nullptr) << each;
      if (started != nullptr) {
        ASSERT_NE(AwaitOf<PartEnded>(each), nullptr);
        EXPECT_EQ(Runs(each), 1);
        std::printf("[ start    ] controller killed %d ms after submission: error %d ms\n",
                    int(delay_ms), int(BeganAfter(each, at)));
      } else {
        std::printf("[ start    ] controller killed %d ms after submission: not started: %s\n",
                    int(delay_ms), Of<PartNotStarted>(each)->why.c_str());
        EXPECT_EQ(Runs(each), 0);
      }
    }
    EXPECT_TRUE(Await([&] { return !Blind(); }));
  }
}

TEST_F(LabCluster, AControllerThatStopsMakesTheDriverBlindAndItSeesAgain) {
  const std::string token = NewToken();
  driver_->Do(PartOf(token, 1, 1, InSeconds(2), Span{60}, "sleep 5"));
  ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
  const auto controller = static_cast<pid_t>(ControllerPid());
  kill(controller, SIGSTOP);
  const Moment stopped = Now();
  EXPECT_TRUE(Await([&] { return Blind(); }, 15'000));
  std::printf("[ sight    ] blind after %d ms\n", int(Now().milliseconds - stopped.milliseconds));
  // What runs goes on, and its end is told by its marks.
  EXPECT_NE(AwaitOf<PartEnded>(token, 15'000), nullptr);
  std::printf("[ sight    ] a part's end told while blind: %s\n", Blind() ? "yes" : "no");
  kill(controller, SIGCONT);
  EXPECT_TRUE(Await([&] { return !Blind(); }, 30'000));
}

TEST_F(LabCluster, WhatNobodyOrderedIsRemovedAndWhatIsMissingIsPut) {
  const Instant at = InSeconds(100);
  driver_->Do(WallOf("5.1", 1, 4, {at, at + Span{100}}));
  ASSERT_TRUE(Await([&] { return OfWall<WallStands>("5.1") != nullptr; }));
  Slurm(
      "scontrol create reservation ReservationName=mu_TEST_9.9 StartTime=now+3600 Duration=60 "
      "Users=root Nodes=" +
      Node(4));
  Slurm("sbatch --parsable -J mu_TEST_nobody.1 -t 5 -o /dev/null --wrap='sleep 60'");
  ASSERT_TRUE(Await([&] { return !JobOf("nobody.1").empty(); }));
  Sleep(1000);
  EXPECT_FALSE(JobOf("nobody.1").empty()) << "before all is known nothing is removed";
  driver_->Do(Reconcile{.walls = {WallOf("5.1", 1, 4, {at, at + Span{100}})}});
  EXPECT_TRUE(Await([&] { return JobOf("nobody.1").empty(); }, 15'000));
  const auto reserved = [](const std::string& name) {
    return Slurm("scontrol -o show reservation").find(name) != std::string::npos;
  };
  EXPECT_TRUE(Await([&] { return !reserved("mu_TEST_9.9"); }, 15'000));
  EXPECT_TRUE(reserved("mu_TEST_5.1"));
  Slurm("scontrol delete ReservationName=mu_TEST_5.1");
  driver_->Do(Reconcile{.walls = {WallOf("5.1", 1, 4, {at, at + Span{100}})}});
  EXPECT_TRUE(Await([&] { return reserved("mu_TEST_5.1"); }, 15'000));
}

TEST_F(LabCluster, ThePartitionOfTheCommonsNeedsNoWallAndNoAdmission) {
  Slurm("scontrol create PartitionName=fed Nodes=" + Node(4) + " State=UP");
  SlurmOptions options = Options();
  options.commons = {"partition:fed"};
  options.walls = SlurmWalls::kCommons;
  Open(options);
  EXPECT_TRUE(Await([&] { return NodeNews(Node(4)) && NodeNews(Node(4))->commons; }));
  const std::string token = NewToken();
  driver_->Do(PartOf(token, 4, 2, InSeconds(4), Span{30}, "test $SLURM_JOB_PARTITION = fed"));
  const auto* ended = AwaitOf<PartEnded>(token);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->end.exit_code, 0);
  driver_->Do(WallOf("7.1", 1, 4, {InSeconds(50), InSeconds(90)}));
  ASSERT_TRUE(Await([&] { return OfWall<WallRefused>("7.1") != nullptr; }));
  EXPECT_FALSE(OfWall<WallRefused>("7.1")->again);
  driver_.reset();
  Slurm("scontrol delete PartitionName=fed");
}

TEST_F(LabCluster, TheCommonsLetsInOnlyWhosePartsAreHandedOver) {
  Slurm(
      "scontrol create reservation ReservationName=fed StartTime=now Duration=infinite Users=root "
      "Nodes=" +
      Node(1) + "," + Node(2));
  SlurmOptions options = Options();
  options.commons = {"fed"};
  Open(options);
  ASSERT_TRUE(Await([&] { return NodeNews(Node(1)) && NodeNews(Node(1))->commons; }));
  EXPECT_FALSE(NodeNews(Node(3))->commons);
  EXPECT_EQ(Booking("reservation fed"), nullptr);
  driver_->Do(WallOf("6.1", 1, 4, {InSeconds(50), InSeconds(90)}));
  ASSERT_TRUE(Await([&] { return OfWall<WallStands>("6.1") != nullptr; }));
  const std::string token = NewToken();
  driver_->Do(PartOf(token, 1, 4, InSeconds(4), Span{30}, "sleep 3"));
  ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
  EXPECT_TRUE(Await([&] {
    return Slurm("scontrol -o show reservation fed").find("Users=root ") != std::string::npos;
  })) << Slurm("scontrol show reservation fed");
  const auto* ended = AwaitOf<PartEnded>(token);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->end.exit_code, 0);
  const std::string intruder = Slurm("sbatch --parsable --reservation=fed -w " + Node(2) +
                                     " -t 5 -o /dev/null --wrap='sleep 60'");
  EXPECT_TRUE(Await([&] { return Slurm("squeue -h -j " + intruder).empty(); }, 15'000));
}

}  // namespace
}  // namespace muster::driver::slurm
