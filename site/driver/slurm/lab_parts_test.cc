// Parts on a real cluster.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "site/driver/slurm/lab_fixture.h"
#include "site/driver/slurm/token_record.h"

namespace muster::driver::slurm {
namespace {

using testing::HasSubstr;

class LabParts : public Lab {
 protected:
  std::string Output(const std::string& token) {
    events_.clear();
    driver_->Do(ReadOutput{.inspection = 5, .part_name = "p" + token, .limit = 1000});
    Await([&] { return Count<OutputRead>() > 0; });
    for (const Event& event : events_) {
      if (const auto* read = std::get_if<OutputRead>(&event)) return read->view.data;
    }
    return "none";
  }
  static bool HasMinutes(const std::string& token, const std::string& limit) {
    return Slurm("squeue -h -o %l -n mu_TEST_" + token) == limit;
  }
  // Of the wrapper that has the token.
  int64_t OwnerPid(const std::string& token) const {
    std::ifstream file(shared_ + "/parts/" + token + "/run/owner");
    std::string line;
    std::getline(file, line);
    return NumberOf(EntriesIn(line, ' '), "pid").value_or(-1);
  }
  // The node's daemon hears nothing.
  class NodeStopped {
   public:
    explicit NodeStopped(const std::string& node)
        : node_(node), pid_(static_cast<pid_t>(PidOf("slurmd-" + node))) {
      EXPECT_GT(pid_, 1);
      kill(pid_, SIGSTOP);
    }
    ~NodeStopped() {
      kill(pid_, SIGCONT);
      for (int i = 0; i < 100 && Slurm("sinfo -h -n " + node_ + " -o %T") != "idle"; ++i) {
        Slurm("scontrol update NodeName=" + node_ + " State=RESUME");
        Sleep(200);
      }
    }
    NodeStopped(const NodeStopped&) = delete;
    NodeStopped& operator=(const NodeStopped&) = delete;

   private:
    std::string node_;
    pid_t pid_;
  };
};

TEST_F(LabParts, StartWithinTheirSecondWhenHandedOverAhead) {
  constexpr int kStarts = 12;
  const Span ahead = driver_->facts().start_ahead;
  std::vector<std::string> tokens;
  const Instant first = InSeconds(ahead.seconds + 1);
  for (int i = 0; i < kStarts; ++i) {
    const Instant at = first + Span{i / 3};
    while (Now() < ToMoment(at - ahead)) Sleep(5);
    tokens.push_back(NewToken());
    driver_->Do(PartOf(tokens.back(), 1 + i % 4, 1, at, Span{30}, "sleep 1"));
  }
  std::vector<int64_t> errors;
  for (int i = 0; i < kStarts; ++i) {
    ASSERT_NE(AwaitOf<PartEnded>(tokens[i]), nullptr) << tokens[i];
    errors.push_back(BeganAfter(tokens[i], first + Span{i / 3}));
  }
  std::sort(errors.begin(), errors.end());
  std::printf("[ start    ] handed over %d s ahead: error p50 %d ms, p99 %d ms\n",
              int(ahead.seconds), int(errors[kStarts / 2]), int(errors.back()));
  EXPECT_GE(errors.front(), 0);
  EXPECT_LT(errors.back(), 1000);
}

TEST_F(LabParts, EndWithTheirExitCodeAndTheirOutputIsRead) {
  const std::string token = NewToken();
  StartPart part = PartOf(token, 1, 2, InSeconds(4), Span{60},
                          "printf '%s|' \"$ODD\" \"$MUSTER_NCPUS\" $(id -un); exit 7");
  part.payload.environment = {{"ODD", "it's \"odd\"\n$(x) `y`"}, {"a.b", "c"}};
  driver_->Do(part);
  const auto* ended = AwaitOf<PartEnded>(token);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->end.by, schemas::EndedBy::kExit);
  EXPECT_EQ(ended->end.exit_code, 7);
  EXPECT_TRUE(ended->usage.cpu.has_value());
  ASSERT_NE(Of<PartStarted>(token), nullptr);
  EXPECT_EQ(Output(token), "it's \"odd\"\n$(x) `y`|2|daemon|");
}

TEST_F(LabParts, EndAtTheirWalltimeNotAtSlurmsMinute) {
  const std::string token = NewToken();
  driver_->Do(PartOf(token, 2, 1, InSeconds(4), Span{3}, "sleep 100"));
  const auto* ended = AwaitOf<PartEnded>(token);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->end.by, schemas::EndedBy::kWalltime);
  EXPECT_EQ(ended->end.signal, SIGTERM);
  EXPECT_NEAR(double(ended->usage.elapsed.milliseconds), 3000, 500);
}

TEST_F(LabParts, AreStoppedBeforeTheirStartAndNeverRun) {
  const std::string token = NewToken();
  driver_->Do(PartOf(token, 1, 1, InSeconds(8), Span{60}, "sleep 100"));
  ASSERT_TRUE(Await([&] { return !JobOf(token).empty(); }));
  Sleep(1500);
  driver_->Do(StopPart{.token = token});
  ASSERT_NE(AwaitOf<PartNotStarted>(token), nullptr);
  EXPECT_TRUE(Await([&] { return JobOf(token).empty(); }, 15'000));
  Sleep(8000);
  EXPECT_EQ(Runs(token), 0);
}

TEST_F(LabParts, AreStoppedWhileTheyRunAndHearTermFirst) {
  const std::string token = NewToken();
  driver_->Do(PartOf(token, 1, 1, InSeconds(3), Span{60},
                     "trap 'echo heard; exit 3' TERM; while :; do sleep 0.1; done"));
  ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
  Sleep(500);
  driver_->Do(StopPart{.token = token, .grace = Seconds(5)});
  const auto* ended = AwaitOf<PartEnded>(token);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->end.by, schemas::EndedBy::kRelease);
  EXPECT_EQ(ended->end.exit_code, 3);
  EXPECT_EQ(Output(token), "heard\n");

  const std::string deaf = NewToken();
  driver_->Do(PartOf(deaf, 1, 1, InSeconds(3), Span{60}, "trap '' TERM; sleep 50 & wait; wait"));
  ASSERT_NE(AwaitOf<PartStarted>(deaf), nullptr);
  Sleep(500);
  driver_->Do(StopPart{.token = deaf, .grace = Milliseconds(800)});
  const auto* killed = AwaitOf<PartEnded>(deaf);
  ASSERT_NE(killed, nullptr);
  EXPECT_EQ(killed->end.by, schemas::EndedBy::kRelease);
}

TEST_F(LabParts, OfTwoNodesHaveBothAndRunOnTheFirst) {
  const std::string token = NewToken();
  StartPart part = PartOf(token, 3, 2, InSeconds(4), Span{30},
                          "echo $SLURM_JOB_NUM_NODES $SLURM_JOB_CPUS_PER_NODE $SLURMD_NODENAME; "
                          "cat $MUSTER_NODEFILE; srun -N2 -n2 hostname | wc -l");
  schemas::ChunkPlace other = part.place.chunks[0];
  other.node = Node(4);
  part.place.chunks.push_back(other);
  driver_->Do(part);
  ASSERT_NE(AwaitOf<PartEnded>(token), nullptr);
  EXPECT_EQ(Output(token),
            "2 2(x2) " + Node(3) + "\n" + Node(3) + " slots=2\n" + Node(4) + " slots=2\n2\n");
  const std::string uneven = NewToken();
  part.token = uneven;
  part.not_before = InSeconds(3);
  part.not_after = InSeconds(30);
  part.place.chunks[1].resources.Set("ncpus", 1);
  driver_->Do(part);
  const auto* none = AwaitOf<PartNotStarted>(uneven);
  ASSERT_NE(none, nullptr);
  EXPECT_THAT(none->why, HasSubstr("as many on each"));
}

TEST_F(LabParts, ThatAreCancelledAtTheClusterEndOrNeverRun) {
  const std::string running = NewToken(), waiting = NewToken();
  driver_->Do(PartOf(running, 1, 1, InSeconds(3), Span{60}, "sleep 50"));
  ASSERT_NE(AwaitOf<PartStarted>(running), nullptr);
  driver_->Do(PartOf(waiting, 2, 1, InSeconds(15), Span{60}, "sleep 50"));
  ASSERT_TRUE(Await([&] { return Slurm("squeue -h -o %T -n mu_TEST_" + waiting) == "RUNNING"; }));
  Slurm("scancel " + JobOf(running) + " " + JobOf(waiting));
  const auto* ended = AwaitOf<PartEnded>(running);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->end.by, schemas::EndedBy::kRelease);
  const auto* none = AwaitOf<PartNotStarted>(waiting);
  ASSERT_NE(none, nullptr);
  EXPECT_THAT(none->why, HasSubstr("CANCELLED"));
  EXPECT_EQ(Runs(waiting), 0);
}

TEST_F(LabParts, AreExtendedWhileTheyRun) {
  const std::string token = NewToken();
  driver_->Do(PartOf(token, 1, 1, InSeconds(3), Span{4}, "sleep 7"));
  ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
  driver_->Do(LimitPart{.token = token, .walltime = Span{100}});
  EXPECT_TRUE(Await([&] { return HasMinutes(token, "2:00"); }, 5000))
      << Slurm("squeue -h -o '%l' -n mu_TEST_" + token);
  const auto* ended = AwaitOf<PartEnded>(token);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->end.by, schemas::EndedBy::kExit);
  EXPECT_EQ(ended->end.exit_code, 0);
}

TEST_F(LabParts, AreFoundByANewDriver) {
  const std::string running = NewToken(), ended = NewToken(), pending = NewToken();
  driver_->Do(PartOf(ended, 1, 1, InSeconds(2), Span{30}, "exit 4"));
  driver_->Do(PartOf(running, 2, 1, InSeconds(2), Span{60}, "sleep 12"));
  ASSERT_NE(AwaitOf<PartStarted>(running), nullptr);
  ASSERT_NE(AwaitOf<PartStarted>(ended), nullptr);
  driver_.reset();
  Sleep(1000);
  Open();
  driver_->Do(FindParts{.tokens = {running, ended, "never-heard-of"}});
  const auto* found = AwaitOf<PartFound>(running);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->finding, Finding::kRunning);
  EXPECT_TRUE(found->started_at.has_value());
  found = AwaitOf<PartFound>(ended);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->finding, Finding::kEnded);
  EXPECT_EQ(found->ended->end.exit_code, 4);
  found = AwaitOf<PartFound>("never-heard-of");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->finding, Finding::kNeverRan);
  driver_->Do(PartOf("never-heard-of", 1, 1, InSeconds(2), Span{30}, "true"));
  EXPECT_NE(AwaitOf<PartNotStarted>("never-heard-of"), nullptr);
  const auto* end = AwaitOf<PartEnded>(running);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->end.exit_code, 0);
  driver_->Do(ForgetPart{.token = running});
}

// A core that takes the place of another asks for all parts; driver.h has the answers.
TEST_F(LabParts, ThatWaitForTheirSecondTellWhenTheyBeginWhoeverAsks) {
  const std::string waits = NewToken(), released = NewToken();
  const Instant at = InSeconds(14);
  driver_->Do(PartOf(waits, 1, 1, at, Span{20}, "sleep 2"));
  driver_->Do(PartOf(released, 2, 1, at, Span{20}, "sleep 1"));
  ASSERT_TRUE(Await([&] { return !JobOf(released).empty(); }));
  driver_->Do(FindParts{{waits, released}});
  Sleep(1500);
  Poll();
  EXPECT_EQ(Of<PartNotStarted>(waits), nullptr);
  driver_->Do(StopPart{.token = released});
  EXPECT_NE(AwaitOf<PartNotStarted>(released), nullptr);
  ASSERT_NE(AwaitOf<PartStarted>(waits), nullptr);
  EXPECT_GE(Of<PartStarted>(waits)->at, ToMoment(at));
  EXPECT_NE(AwaitOf<PartEnded>(waits), nullptr);
  EXPECT_EQ(Count<PartFound>(), 0);
  EXPECT_EQ(Runs(waits), 1);
  EXPECT_EQ(Runs(released), 0);
}

TEST_F(LabParts, OfBusyNodesAreGivenUpLateAndNeverRun) {
  Slurm("sbatch -w " + Node(3) + " -n4 -t 5 -o /dev/null --wrap='sleep 60'");
  ASSERT_TRUE(Await([&] { return Slurm("squeue -h -o %T") == "RUNNING"; }));
  const std::string token = NewToken();
  StartPart part = PartOf(token, 3, 4, InSeconds(2), Span{30}, "true");
  part.not_after = part.not_before + Span{3};
  driver_->Do(part);
  const auto* none = AwaitOf<PartNotStarted>(token);
  ASSERT_NE(none, nullptr);
  EXPECT_TRUE(none->late);
  EXPECT_EQ(Runs(token), 0);
}

TEST_F(LabParts, AreRefusedWithAReason) {
  const std::string token = NewToken();
  StartPart part = PartOf(token, 1, 1, InSeconds(2), Span{30}, "true");
  part.user = "nobody-knows";
  driver_->Do(part);
  const auto* none = AwaitOf<PartNotStarted>(token);
  ASSERT_NE(none, nullptr);
  EXPECT_THAT(none->why, HasSubstr("nobody-knows"));
  const std::string strange = NewToken();
  part = PartOf(strange, 1, 1, InSeconds(2), Span{30}, "true");
  part.place.chunks[0].node = "no such,node[1-3]";
  driver_->Do(part);
  none = AwaitOf<PartNotStarted>(strange);
  ASSERT_NE(none, nullptr);
  EXPECT_THAT(none->why, HasSubstr("no node 'no such,node[1-3]'"));
}

TEST_F(LabParts, ThatSlurmRequeuesDoNotRunTwice) {
  const std::string token = NewToken();
  driver_->Do(PartOf(token, 1, 1, InSeconds(2), Span{60}, "sleep 100"));
  ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
  ASSERT_TRUE(Await([&] { return Runs(token) == 1; }));
  const std::string job = JobOf(token);
  Slurm("scontrol update JobId=" + job + " Requeue=1");
  const std::string said = Slurm("scontrol requeue " + job);
  EXPECT_EQ(said, "");
  const auto* ended = AwaitOf<PartEnded>(token);
  ASSERT_NE(ended, nullptr);
  EXPECT_TRUE(Await([&] { return JobOf(token).empty(); }, 20'000));
  EXPECT_EQ(Runs(token), 1);
}

// As after a controller that was killed: a job that ran is pending again, and its node goes on. The
// node's daemon is stopped, so that it hears nothing.
TEST_F(LabParts, GoOnToTheirEndWhenSlurmDoesNotKnowThatTheyRun) {
  const std::string whole = NewToken(), killed = NewToken();
  const std::string sleep = "sleep 47." + std::to_string(getpid());  // nobody else's
  driver_->Do(PartOf(whole, 1, 1, InSeconds(2), Span{90}, "sleep 22"));
  driver_->Do(PartOf(killed, 1, 1, InSeconds(2), Span{90}, "exec " + sleep));
  for (const std::string& token : {whole, killed}) {
    ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
    ASSERT_TRUE(Await([&] { return Runs(token) == 1; }));
  }
  const NodeStopped stopped(Node(1));
  for (const std::string& token : {whole, killed}) {
    const std::string job = JobOf(token);
    EXPECT_EQ(Slurm("scontrol update JobId=" + job + " Requeue=1; scontrol requeue " + job), "");
  }
  Slurm("scontrol update NodeName=" + Node(1) + " State=DOWN Reason=test");
  EXPECT_TRUE(Await([&] { return JobOf(whole).empty() && JobOf(killed).empty(); }, 15'000))
      << Slurm("squeue");
  const int64_t owner = OwnerPid(killed);
  ASSERT_GT(owner, 1);
  kill(static_cast<pid_t>(owner), SIGKILL);
  Slurm("pkill -KILL -f '" + sleep + "'");

  const PartEnded* ended = AwaitOf<PartEnded>(whole);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->end.by, schemas::EndedBy::kExit);
  EXPECT_EQ(ended->end.exit_code, 0);
  EXPECT_GE(ended->usage.elapsed.milliseconds, 22'000);
  ended = AwaitOf<PartEnded>(killed);
  ASSERT_NE(ended, nullptr);
  EXPECT_NE(ended->end.by, schemas::EndedBy::kExit);
}

TEST_F(LabParts, ThatHaveTwoJobsRunOnce) {
  const std::string token = NewToken();
  driver_->Do(PartOf(token, 1, 1, InSeconds(3), Span{60}, "sleep 6"));
  ASSERT_TRUE(Await([&] { return !JobOf(token).empty(); }));
  const std::string job = JobOf(token);
  ASSERT_NE(AwaitOf<PartStarted>(token), nullptr);
  Slurm("scontrol write batch_script " + job + " " + shared_ + "/copy.sh; chmod 644 " + shared_ +
        "/copy.sh");
  // One runs the same script, the other is only called so.
  for (const std::string& script : {shared_ + "/copy.sh", std::string("--wrap='sleep 50'")}) {
    Slurm("sbatch --uid=daemon -o /dev/null -J mu_TEST_" + token + " -t 5 " + script);
  }
  const auto* ended = AwaitOf<PartEnded>(token);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->end.by, schemas::EndedBy::kExit);
  driver_->Do(Reconcile{.tokens = {token}});
  EXPECT_TRUE(Await([&] { return JobOf(token).empty(); }, 20'000)) << Slurm("squeue");
  EXPECT_EQ(Runs(token), 1);
}

}  // namespace
}  // namespace muster::driver::slurm
