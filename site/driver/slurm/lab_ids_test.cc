// Ids that a restarted controller has given to somebody else since the last look. Here a look is
// told otherwise than it was: it has jobs of others under the names of this site's.
#include <gtest/gtest.h>

#include "site/driver/slurm/grants.h"
#include "site/driver/slurm/keeper.h"
#include "site/driver/slurm/lab_fixture.h"
#include "site/driver/slurm/looker.h"

namespace muster::driver::slurm::lab_ids_test {
namespace {

class LabIds : public Lab {
 protected:
  void SetUp() override {
    Lab::SetUp();
    if (IsSkipped()) return;
    driver_.reset();  // the keeper of this test is the only one
    auto cluster = Cluster::Open(LabConf());
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    cluster_ = *std::move(cluster);
    auto folders = TokenFolders::Open(shared_);
    ASSERT_TRUE(folders.ok()) << folders.status();
    keeper_.emplace(
        options_, SeenOptionsOf(options_), *std::move(folders),
        Keeper::Surroundings{.cluster = &*cluster_,
                             .clock = clock_.get(),
                             .say = [this](Event event) { events_.push_back(std::move(event)); },
                             .hand_over = [](const HandOver&) {},
                             .admit_only = [](const std::set<std::string>&) {},
                             .failed = [](const std::string&) {},
                             .look_soon = [] {},
                             .look_anew = [] {}});
  }
  Look LookNow() {
    auto look = Looker(&*cluster_, clock_.get()).Next(Looker::Rows::kAlways, Looker::Depth::kAll);
    EXPECT_TRUE(look.ok()) << look.status();
    return look.ok() ? *std::move(look) : Look{};
  }
  static std::string StateOf(const std::string& job) { return Slurm("squeue -h -o %T -j " + job); }

  const SlurmOptions options_ = Options();
  std::optional<Cluster> cluster_;
  std::optional<Keeper> keeper_;
};

TEST_F(LabIds, AJobThatIsAnothersByNowIsNotKilled) {
  const std::string theirs = Slurm("sbatch --parsable -n1 -t10 -o /dev/null --wrap='sleep 300'");
  const std::string nobodys =
      Slurm("sbatch --parsable -J mu_TEST_nobody.2 -n1 -t10 -o /dev/null --wrap='sleep 300'");
  ASSERT_TRUE(Await([&] { return StateOf(theirs) == "RUNNING" && StateOf(nobodys) == "RUNNING"; }));
  keeper_->OnLook(LookNow());
  keeper_->Do({FindParts{}, Reconcile{}});
  Look stale = LookNow();
  for (Job& row : stale.jobs) {
    if (std::to_string(row.id) == theirs) row.name = "mu_TEST_nobody.1";
  }
  keeper_->OnLook(std::move(stale));
  EXPECT_TRUE(Await([&] { return StateOf(nobodys) != "RUNNING"; }, 10'000));
  EXPECT_EQ(StateOf(theirs), "RUNNING");
}

}  // namespace
}  // namespace muster::driver::slurm::lab_ids_test
