// What a request could give up to start earlier (OpenCCS Sect. 5.2: what maps depends on what
// chunks ask for): each change is tried on a small site.
#include "site/queries/relaxations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::site {
namespace {

using schemas::CheaperWay;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr Instant kNow{1000};

// Two nodes of 4 cpus, one with a gpu, below a switch each.
Options TwoNodes() {
  Options options;
  options.name = "lakes";
  options.facts.turnover = Span{0};
  options.nodes = {{"n1", {{"ncpus", 4}}, {{"arch", "x86_64"}}},
                   {"g1", {{"ncpus", 4}, {"ngpus", 2}}, {{"arch", "ppc"}}}};
  options.switches = {{"s1", {"n1"}, {}}, {"s2", {"g1"}, {}}};
  return options;
}

schemas::PartDemand Asks(uint32_t count, ResourceSet resources, Span duration = Span{600}) {
  schemas::PartDemand part;
  part.index = 3;
  part.chunks = {{count, std::move(resources), {}}};
  part.duration = duration;
  return part;
}

class Cheaper : public testing::Test {
 protected:
  // Books cpus of a node for `length`, beginning `ahead` from now.
  void Use(const std::string& property, int64_t ncpus, Span length, Span ahead = Span{0}) {
    verifier::Demand demand;
    demand.parts = {Asks(1, {{"ncpus", ncpus}}, length)};
    demand.parts[0].chunks[0].properties["arch"] = property;
    demand.allowed = IntervalSet::Only(kNow + ahead);
    const auto answer = planner_.Book({{3}, ++last_}, demand, kNow, {});
    ASSERT_TRUE(std::holds_alternative<verifier::Booked>(answer));
  }
  std::vector<CheaperWay> Ways(schemas::PartDemand part) const {
    schemas::ProposalEntry entry;
    entry.parts = {std::move(part)};
    entry.asked = kNow;
    entry.allowed = IntervalSet::From(kNow);
    const schemas::VerdictEntry verdict = planner_.Verify({entry}, kNow).front();
    const Instant start = verdict.starts.empty() ? kFarFuture : verdict.start;
    return Relaxations(planner_, options_.nodes, entry, kNow, start);
  }

  Options options_ = TwoNodes();
  SitePlanner planner_{options_};
  uint64_t last_ = 0;
};

auto Is(std::string text, std::vector<std::string> argv, Instant start) {
  return testing::AllOf(Field(&CheaperWay::text, text), Field(&CheaperWay::argv, argv),
                        Field(&CheaperWay::part, 3u), Field(&CheaperWay::start, start));
}

TEST_F(Cheaper, ARareResourceIsLeftOut) {
  Use("ppc", 4, Span{1000});
  EXPECT_THAT(Ways(Asks(1, {{"ncpus", 2}, {"ngpus", 1}})),
              ElementsAre(Is("without a gpu", {"-l", "1:ncpus=2"}, kNow)));
  EXPECT_THAT(Ways(Asks(1, {{"ncpus", 2}, {"ngpus", 2}})),
              ElementsAre(Is("without gpus", {"-l", "1:ncpus=2"}, kNow)));
}

TEST_F(Cheaper, APropertyIsLeftOut) {
  Use("ppc", 4, Span{1000});
  schemas::PartDemand part = Asks(1, {{"ncpus", 2}});
  part.chunks[0].properties["arch"] = "ppc";
  EXPECT_THAT(Ways(part), ElementsAre(Is("without arch=ppc", {"-l", "1:ncpus=2"}, kNow)));
  part.chunks[0].properties = {{"sw", "s2"}};  // Example 2 of OpenCCS
  EXPECT_THAT(Ways(part), ElementsAre(Is("without sw=s2", {"-l", "1:ncpus=2"}, kNow)));
}

TEST_F(Cheaper, OtherPlacementsAreSaidAsAlterTakesThem) {
  Use("ppc", 1, Span{1000});
  schemas::PartDemand part = Asks(2, {{"ncpus", 1}});
  part.place = schemas::Place::kScatter;
  part.exclusive = true;
  EXPECT_THAT(Ways(part),
              testing::Contains(Is("sharing its nodes", {"--place", "scatter:shared"}, kNow)));
  part = Asks(2, {{"ncpus", 3}});
  part.place = schemas::Place::kPack;  // never: no node has 6 cpus
  EXPECT_THAT(Ways(part), testing::Contains(Is("placed freely", {"--place", "free:shared"}, kNow)));
}

// Each duration found just fits into the room before the next booking.
TEST_F(Cheaper, OfATimeTheLongestThatStartsEarlierIsThereAndTheLongestThatStartsAtOnce) {
  Use("x86_64", 4, Span{9000});
  Use("ppc", 4, Span{9000}, Span{2820});  // room for 47 minutes
  EXPECT_THAT(Ways(Asks(1, {{"ncpus", 4}}, Span{3600})),
              ElementsAre(Is("in 47m", {"-t", "47m"}, kNow)));
  EXPECT_THAT(Ways(Asks(1, {{"ncpus", 4}}, Span{36000})),
              ElementsAre(Is("in 45m", {"-t", "45m"}, kNow)))
      << "of ten hours in steps of five minutes";
}

TEST_F(Cheaper, ALongerTimeThatStartsLaterIsThereBesideAShortOneThatStartsAtOnce) {
  // One node is free for 10 minutes now, the other for 30 from 1000 s on.
  Use("x86_64", 4, Span{9000}, Span{600});
  Use("ppc", 4, Span{1000});
  Use("ppc", 4, Span{9000}, Span{2800});
  EXPECT_THAT(Ways(Asks(1, {{"ncpus", 4}}, Span{3600})),
              ElementsAre(Is("in 30m", {"-t", "30m"}, kNow + Span{1000}),
                          Is("in 10m", {"-t", "10m"}, kNow)));
}

TEST_F(Cheaper, NoTimeIsThereWhereNotEvenASecondStartsEarlier) {
  Use("x86_64", 4, Span{1000});
  Use("ppc", 4, Span{1000});
  EXPECT_THAT(Ways(Asks(1, {{"ncpus", 4}}, Span{3600})), IsEmpty());
}

TEST_F(Cheaper, FewestThingsGivenUpComeFirstEvenIfTheyStartLater) {
  Use("x86_64", 2, Span{1000});
  Use("ppc", 3, Span{2000});
  EXPECT_THAT(Ways(Asks(8, {{"ncpus", 1}})),
              ElementsAre(Is("with 5 of 8 chunks", {"-l", "5:ncpus=1"}, kNow + Span{1000}),
                          Is("with 3 of 8 chunks", {"-l", "3:ncpus=1"}, kNow)));
}

TEST_F(Cheaper, OfAnAmountTheMostThatFitsIsThere) {
  Use("x86_64", 4, Span{9000});
  Use("ppc", 1, Span{9000});
  EXPECT_THAT(Ways(Asks(1, {{"ncpus", 4}})),
              ElementsAre(Is("with 3 cpus instead of 4 cpus", {"-l", "1:ncpus=3"}, kNow)));
}

TEST_F(Cheaper, WhatSavesLessThanAMinuteIsNoAdvice) {
  Use("ppc", 4, Span{59});
  EXPECT_THAT(Ways(Asks(1, {{"ncpus", 2}, {"ngpus", 1}})), IsEmpty());
}

TEST_F(Cheaper, WhatAllNodesHaveIsNotLeftOut) {
  Use("x86_64", 4, Span{1000});
  Use("ppc", 4, Span{1000});
  EXPECT_THAT(Ways(Asks(1, {{"ncpus", 4}})), IsEmpty());
}

TEST_F(Cheaper, NoMoreIsTriedThanItsBound) {
  const auto ways = [this](size_t others) {
    schemas::PartDemand part = Asks(1, {{"ncpus", 2}});
    options_ = TwoNodes();
    for (size_t i = 0; i < others; ++i) {
      const std::string name = "p" + std::to_string(i);
      for (Node& node : options_.nodes) node.properties[name] = "yes";
      part.chunks[0].properties[name] = "yes";
    }
    options_.nodes[1].properties["z"] = "yes";  // tried last, and the only one that helps
    part.chunks[0].properties["z"] = "yes";
    planner_ = SitePlanner(options_);
    Use("ppc", 4, Span{1000});
    return Ways(part).size();
  };
  EXPECT_EQ(ways(5), 1u);
  EXPECT_EQ(ways(kRelaxationsTried), 0u);
}

}  // namespace
}  // namespace muster::site
