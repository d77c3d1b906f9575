// The checker of early hand-overs complains of one that is planted by hand, and is silent else.
#include <gtest/gtest.h>

#include "sim/checkers/checker.h"

namespace muster::sim::handed_over_test {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;

constexpr int64_t kNow = 1'000'000;  // seconds

// n1 has four processors. 1 is due in 20 s for 10 s and needs all of them; 2 in 33 s.
class HandedOverFaults : public ::testing::Test {
 protected:
  HandedOverFaults() {
    site_.name = "lakes";
    site_.nodes = {{"n1", {{"ncpus", 4}}, {}}};
    checker_ = CheckHandedOver({.sites = {site_}});
    Write(HoldOf(1, 20, 10, 4));
  }
  static Moment At(int64_t second) { return {(kNow + second) * 1000}; }
  static HoldRecord HoldOf(uint64_t number, int64_t start, int64_t seconds, int64_t ncpus) {
    HoldRecord hold;
    hold.order.fence = {{1}, number};
    hold.order.parts = {{.index = 1, .duration = Span{seconds}}};
    hold.state = HoldState::kPermitted;
    hold.start = {kNow + start};
    hold.parts = {{.index = 1, .place = {.index = 1, .chunks = {{"n1", {{"ncpus", ncpus}}}}}}};
    return hold;
  }
  void Write(const HoldRecord& hold) {
    checker_->OnSiteWrites(At(0), "lakes", {{"hold/x", schemas::SiteRecord{hold}}});
  }
  void HandOver(uint64_t number, int64_t at, int64_t start) {
    checker_->OnDriverCommand(At(at), "lakes",
                              driver::StartPart{.token = "1." + std::to_string(number) + ".1.1",
                                                .not_before = {kNow + start}});
  }
  size_t Complaints() const { return checker_->violations().size(); }

  site::Options site_;
  std::unique_ptr<Checker> checker_;
};

TEST_F(HandedOverFaults, APartThatTakesTheNodeOfOneThatIsDueBefore) {
  HoldRecord second = HoldOf(2, 33, 60, 1);
  second.parts[0].state = schemas::PartState::kStarting;
  Write(second);
  HandOver(2, 19, 33);
  EXPECT_EQ(Complaints(), 1u);
}

TEST_F(HandedOverFaults, WhoIsDueFirstOrFitsBesideOrIsInTimeIsNone) {
  HandOver(1, 15, 20);
  EXPECT_EQ(Complaints(), 0u);
  Write(HoldOf(1, 20, 10, 3));
  HoldRecord second = HoldOf(2, 33, 60, 1);
  second.parts[0].state = schemas::PartState::kStarting;
  Write(second);
  HandOver(2, 19, 33);
  EXPECT_EQ(Complaints(), 0u) << "beside it";
  Write(HoldOf(1, 20, 10, 4));
  HandOver(2, 33, 33);
  EXPECT_EQ(Complaints(), 0u) << "in its second";
}

}  // namespace
}  // namespace muster::sim::handed_over_test
