// Altering local jobs: promised ones take another place in one write or stay as they are; running
// ones get more time within the site's limit. OpenCCS Sect. 5.4; cli.md section 3 (alter).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "site/alone_site_fixture.h"

namespace muster::site {
namespace {

using schemas::Accepted;
using schemas::Refused;
using schemas::RequestState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LocalAlter : public AloneSite {
 protected:
  static schemas::Act To(uint64_t number, schemas::Alteration changes, bool may_move = false) {
    schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {{number}}};
    act.changes = std::move(changes);
    act.may_move = may_move;
    return act;
  }
  static schemas::Alteration Lasting(int64_t seconds) { return {.duration = Span{seconds}}; }
  static schemas::Alteration Of(uint32_t count, int64_t cpus) {
    const schemas::Chunk chunk{.count = count, .resources = {{"ncpus", cpus}}};
    return {.parts = {schemas::PartAlteration{.chunks = {chunk}}}};
  }
  Instant In(int64_t seconds) const { return At().wall.Floor() + Span{seconds}; }
  uint64_t Later(int64_t cpus, int64_t seconds, int64_t from) {
    schemas::RequestSpec spec = Spec(cpus, seconds);
    spec.from = In(from);
    return Submit("kim", spec);
  }
  uint64_t Running(int64_t cpus, int64_t seconds) {
    const uint64_t number = Submit("kim", Spec(cpus, seconds));
    Advance(2);
    Runs(Started("lakes-" + std::to_string(number) + ".1")->token);
    return number;
  }
  std::vector<int64_t> Walltimes() const {
    std::vector<int64_t> out;
    for (const auto& command : commands_) {
      const auto* limit = std::get_if<driver::LimitPart>(&command);
      if (limit != nullptr) out.push_back(limit->walltime.seconds);
    }
    return out;
  }
};

TEST_F(LocalAlter, APromisedJobTakesItsNewPlaceInOneWrite) {
  const uint64_t number = Later(4, 600, 100);
  const auto accepted = Get<Accepted>("kim", To(number, Lasting(60)));
  EXPECT_THAT(accepted.notes, ElementsAre("1m (was 10m)"));
  schemas::JobView job = Job(number);
  EXPECT_EQ(job.duration_s, Span{60});
  EXPECT_EQ(job.state, RequestState::kPromised);
  EXPECT_EQ(*job.figures.ends_by - job.figures.starts_by->at, Span{60});
  EXPECT_EQ(job.history.back().cause->code, schemas::CauseCode::kUser);
  ASSERT_EQ(core_->Holds().size(), 1u);
  EXPECT_EQ(core_->Holds()[0].order.parts[0].duration, Span{60});
  // Other jobs use the room it gave back; now it asks for both nodes.
  Get<Accepted>("kim", To(number, Of(2, 4)));
  EXPECT_EQ(Job(number).parts[0].nodes.size(), 2u);
  Boot();
  job = Job(number);
  EXPECT_EQ(job.parts[0].nodes.size(), 2u);
  EXPECT_EQ(job.duration_s, Span{60});
  Advance(101);
  const auto start = Started("lakes-1.1");
  ASSERT_TRUE(start);
  EXPECT_EQ(start->place.chunks.size(), 2u);
}

TEST_F(LocalAlter, ALaterStartIsAConflictUnlessPromisesMayMove) {
  const uint64_t job = Later(4, 60, 100);
  for (int i = 0; i < 2; ++i) Later(4, 600, 160);
  const Instant before = Job(job).figures.starts_by->at;
  schemas::Act act = To(job, Lasting(120));
  act.only_try = true;
  const auto tried = Get<Accepted>("kim", act);
  ASSERT_EQ(tried.moves.size(), 1u);
  EXPECT_EQ(tried.moves[0].job, "lakes/1");
  EXPECT_GT(tried.moves[0].after, tried.moves[0].before);
  const Refused refused = Get<Refused>("kim", To(job, Lasting(120)));
  EXPECT_EQ(refused.code, "conflict");
  EXPECT_THAT(refused.message, HasSubstr("this would move 1 promise, by up to "));
  EXPECT_EQ(Job(job).figures.starts_by->at, before);
  EXPECT_EQ(Job(job).duration_s, Span{60});
  Get<Accepted>("kim", To(job, Lasting(120), true));
  EXPECT_GT(Job(job).figures.starts_by->at, before);
  EXPECT_EQ(Job(job).duration_s, Span{120});
}

TEST_F(LocalAlter, WhatCannotBeLeavesTheJobAsItWas) {
  const uint64_t number = Later(4, 600, 100);
  EXPECT_EQ(Get<Refused>("kim", To(number, Of(1, 64))).code, "never");
  EXPECT_EQ(Get<Refused>("kim", To(number, Lasting(600))).code, "conflict");
  EXPECT_EQ(Get<Refused>("kim", To(number, {})).code, "usage");
  EXPECT_EQ(Get<Refused>("lee", To(number, Lasting(60))).code, "denied");
  EXPECT_EQ(Get<Refused>("kim", To(99, Lasting(60))).code, "not-found");
  schemas::Alteration elsewhere;
  elsewhere.parts = {schemas::PartAlteration{.sites = schemas::Names{{"woods"}}}};
  EXPECT_THAT(Get<Refused>("kim", To(number, elsewhere)).message,
              HasSubstr("may not run at lakes"));
  const schemas::JobView job = Job(number);
  EXPECT_EQ(job.duration_s, Span{600});
  EXPECT_EQ(job.history.size(), 1u);
  Get<Accepted>("kim", schemas::Cancel{{{number}}});
  EXPECT_THAT(Get<Refused>("kim", To(number, Lasting(60))).message, HasSubstr("has ended"));
}

TEST_F(LocalAlter, ARunningJobGetsMoreTimeWithinTheBoundAndOperatorsGoBeyond) {
  const uint64_t number = Running(4, 1000);
  const Instant ends = *Job(number).figures.ends_by;
  EXPECT_THAT(Get<Accepted>("kim", To(number, Lasting(1050))).notes[0], HasSubstr("may go on"));
  EXPECT_EQ(*Job(number).figures.ends_by - ends, Span{50});
  EXPECT_EQ(Job(number).duration_s, Span{1050});
  EXPECT_THAT(Walltimes(), ElementsAre(1050));
  EXPECT_EQ(Job(number).events.back().code, "altered");
  EXPECT_THAT(Job(number).events.back().text, HasSubstr("may go on until"));
  EXPECT_THAT(Get<Refused>("kim", To(number, Lasting(1200))).message,
              HasSubstr("may go on for 1m40s in all (10% of its 16m40s), and has 50s of that"));
  EXPECT_EQ(Get<Refused>("kim", To(number, Lasting(60))).code, "conflict") << "less is not given";
  EXPECT_EQ(Get<Refused>("kim", To(number, Of(1, 1))).code, "conflict");
  Get<Accepted>("root", To(number, Lasting(1500)));
  EXPECT_EQ(Job(number).duration_s, Span{1500});
  Boot();
  EXPECT_EQ(Job(number).duration_s, Span{1500});
}

TEST_F(LocalAlter, WhatIsBookedBehindARunningJobStaysWhereItIs) {
  const uint64_t number = Running(4, 1000);
  Submit("lee", Spec(4, 5000));
  Submit("lee", Spec(4, 60));
  EXPECT_THAT(Get<Refused>("kim", To(number, Lasting(1060))).message, HasSubstr("is in the way"));
  EXPECT_EQ(Job(number).duration_s, Span{1000});
}

TEST_F(LocalAlter, MalleableChunksFollowWhileTheyRun) {
  schemas::RequestSpec spec = Spec(4, 1000);
  spec.parts[0].chunks[0].least = 1;
  spec.parts[0].chunks[0].most = 2;
  const uint64_t number = Submit("kim", spec);
  Advance(2);
  Runs(Started("lakes-1.1")->token);
  schemas::Alteration two;
  two.parts = {schemas::PartAlteration{.chunks = spec.parts[0].chunks}};
  two.parts[0].chunks[0].count = 2;
  Get<Accepted>("kim", To(number, two));
  EXPECT_EQ(Job(number).parts[0].nodes.size(), 2u);
  EXPECT_EQ(Get<Refused>("kim", To(number, two)).code, "conflict") << "it has them already";
  two.parts[0].chunks[0].count = 1;
  Get<Accepted>("kim", To(number, two));
  EXPECT_EQ(Job(number).parts[0].nodes.size(), 1u);
}

TEST_F(LocalAlter, WhatTheSiteInsistsOnOutranksWhatIsAskedFor) {
  rules::RequestValues values;
  values.duration = Span{300};
  options_.rules.forced = {values};
  Boot();
  const uint64_t number = Later(4, 600, 100);
  EXPECT_EQ(Job(number).duration_s, Span{300});
  EXPECT_THAT(Get<Refused>("kim", To(number, Lasting(60))).message, HasSubstr("nothing to change"));
}

}  // namespace
}  // namespace muster::site
