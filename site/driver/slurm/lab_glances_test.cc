// What a glance sees of a real cluster. By a clock that stands still no look at all is ever due
// after the first one, so that each further one is a glance.
#include <gtest/gtest.h>

#include <algorithm>

#include "site/driver/slurm/lab_fixture.h"
#include "site/driver/slurm/looker.h"

namespace muster::driver::slurm {
namespace {

class StandingClock : public io::Clock {
 public:
  muster::Now Read() override { return now_; }
  std::string BootId() override { return "boot"; }

 private:
  const muster::Now now_ = io::SystemClock()->Read();
};

class LabGlances : public Lab {
 protected:
  void SetUp() override {
    Lab::SetUp();
    if (IsSkipped()) return;
    auto cluster = Cluster::Open(LabConf());
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    cluster_ = *std::move(cluster);
    looker_.emplace(&*cluster_, &clock_);
  }
  Look Next(Looker::Depth depth = Looker::Depth::kAsDue) {
    auto look = looker_->Next(Looker::Rows::kIfChanged, depth);
    EXPECT_TRUE(look.ok()) << look.status();
    if (!look.ok()) return {};
    if (look->has_rows) last_ = *look;
    return *look;
  }
  // The row of this job in the last look that had rows.
  const Job* RowOf(const std::string& id) const {
    const auto row = std::find_if(last_.jobs.begin(), last_.jobs.end(),
                                  [&](const Job& job) { return std::to_string(job.id) == id; });
    return row == last_.jobs.end() ? nullptr : &*row;
  }
  // Glances until it is so, for some seconds.
  bool Glanced(const std::function<bool()>& so) {
    for (int i = 0; i < 100; ++i) {
      Next();
      if (so()) return true;
      Sleep(100);
    }
    return false;
  }
  static std::string Submit(const std::string& how) {
    return Slurm("sbatch --parsable -n1 -o /dev/null " + how + " --wrap='sleep 300'");
  }

  StandingClock clock_;
  std::optional<Cluster> cluster_;
  std::optional<Looker> looker_;
  Look last_;
};

TEST_F(LabGlances, SeeJobsBeginAndChangeAndEnd) {
  const std::string before = Submit("-t10");
  ASSERT_TRUE(Await([&] { return Slurm("squeue -h -o %T -j " + before) == "RUNNING"; }));
  ASSERT_TRUE(Next().has_rows);
  ASSERT_NE(RowOf(before), nullptr);
  ASSERT_TRUE(Glanced([&] { return !Next().changed; })) << "it is quiet";
  const std::string later = Submit("-t20");
  ASSERT_TRUE(Glanced([&] { return RowOf(later) != nullptr; }));
  EXPECT_EQ(RowOf(later)->state, JobState::kRunning);
  ASSERT_EQ(RowOf(later)->nodes.size(), 1u);
  EXPECT_EQ(RowOf(later)->nodes.front().cpus, 1);
  Slurm("scontrol update JobId=" + before + " TimeLimit=45");
  EXPECT_TRUE(Glanced([&] { return RowOf(before)->limit == Span{45 * 60}; }));
  Slurm("scancel " + later);
  EXPECT_TRUE(Glanced([&] { return RowOf(later)->state == JobState::kEnded; }));
  EXPECT_EQ(RowOf(before)->state, JobState::kRunning);
}

TEST_F(LabGlances, SeeTheElementsOfAnArrayThatRun) {
  Next();
  const std::string array = Submit("-t10 --array=1-3");
  ASSERT_TRUE(Glanced([&] {
    return std::count_if(last_.jobs.begin(), last_.jobs.end(),
                         [&](const Job& job) { return job.state == JobState::kRunning; }) == 3;
  })) << Slurm("squeue");
  Slurm("scancel " + array + "_2");
  EXPECT_TRUE(Glanced([&] {
    return std::count_if(last_.jobs.begin(), last_.jobs.end(),
                         [&](const Job& job) { return job.state == JobState::kRunning; }) == 2;
  }));
}

TEST_F(LabGlances, SeeWhatOperatorsChangeAndLeaveThoseWhoWaitToTheNextLookAtAll) {
  Next();
  const std::string waits = Submit("-t10 --hold");
  Slurm(
      "scontrol create reservation ReservationName=theirs StartTime=now+1hour Duration=10 "
      "Nodes=" +
      Node(1) + " Users=root");
  Slurm("scontrol update NodeName=" + Node(2) + " State=DRAIN Reason=fan");
  EXPECT_TRUE(Glanced([&] {
    const bool reserved = std::any_of(last_.reservations.begin(), last_.reservations.end(),
                                      [](const Reservation& row) { return row.name == "theirs"; });
    const bool drained = std::any_of(last_.nodes.begin(), last_.nodes.end(), [](const auto& node) {
      return node.state == NodeState::kDrained;
    });
    return reserved && drained;
  }));
  EXPECT_EQ(RowOf(waits), nullptr);
  EXPECT_TRUE(Next(Looker::Depth::kAll).changed);
  EXPECT_NE(RowOf(waits), nullptr);
}

TEST_F(LabGlances, AJobThatTheControllerForgotIsNotFound) {
  const auto unknown = cluster_->LoadJob(4'000'000);
  EXPECT_TRUE(absl::IsNotFound(unknown.status())) << unknown.status();
}

}  // namespace
}  // namespace muster::driver::slurm
