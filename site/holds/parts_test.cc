// Small components of the core: timers, node use, ports, admission, environment.
#include <gtest/gtest.h>

#include "schemas/canonical.h"
#include "site/holds/timers.h"
#include "site/nodes/node_use.h"
#include "site/nodes/ports.h"
#include "site/planning/admission.h"
#include "site/planning/environment.h"

namespace muster::site {
namespace {

Fence F(uint64_t number) { return {{1}, number}; }

TEST(Timers, GivesEachHoldOnceWhenEitherClockIsDue) {
  Timers agenda;
  agenda.Set(F(1), BootInstant{100}, Moment{5'000});
  agenda.Set(F(2), std::nullopt, Moment{4'000});
  agenda.Set(F(3), BootInstant{900}, std::nullopt);
  EXPECT_TRUE(agenda.Due({99}, {3'999}).empty());
  EXPECT_EQ(agenda.Due({100}, {5'000}), (std::vector<Fence>{F(1), F(2)}));
  EXPECT_EQ(agenda.Due({100}, {5'000}).size(), 2u) << "an entry stays until it is set anew";
  agenda.Clear(F(1));
  EXPECT_EQ(agenda.Due({100}, {5'000}), (std::vector<Fence>{F(2)}));
}

TEST(Timers, NamesTheEarliestOfBothClocksInBootTime) {
  const verifier::PlanClock clock({.boot = {1'000}, .wall = {50'000}});
  Timers agenda;
  EXPECT_FALSE(agenda.Next(clock));
  agenda.Set(F(1), BootInstant{4'000}, std::nullopt);
  agenda.Set(F(2), std::nullopt, Moment{52'000});
  EXPECT_EQ(agenda.Next(clock), BootInstant{3'000});
  agenda.Clear(F(2));
  EXPECT_EQ(agenda.Next(clock), BootInstant{4'000});
}

schemas::PartPlace On(const std::string& node, int64_t cpus) {
  return {.index = 1, .chunks = {{node, {{"ncpus", cpus}}}}};
}

TEST(NodeUse, IsCleanWhereWhatIsThereLeavesRoom) {
  NodeUse use({{.name = "n1", .resources = {{"ncpus", 4}}}});
  use.Enter({F(1), 1}, On("n1", 3), false);
  EXPECT_TRUE(use.Clean(On("n1", 1), false));
  EXPECT_FALSE(use.Clean(On("n1", 2), false));
  EXPECT_FALSE(use.Clean(On("n1", 1), true)) << "an exclusive part shares with nobody";
  use.Leave({F(1), 1});
  EXPECT_TRUE(use.Clean(On("n1", 4), true));
}

TEST(NodeUse, AnExclusivePartKeepsOthersOutWhateverItsAmounts) {
  NodeUse use({{.name = "n1", .resources = {{"ncpus", 4}}}});
  use.Enter({F(1), 1}, On("n1", 1), true);
  EXPECT_FALSE(use.Clean(On("n1", 1), false));
  EXPECT_EQ(use.On(On("n1", 1)), (std::vector<PartKey>{{F(1), 1}}));
}

TEST(NodeUse, SumsThePartsChunksOnOneNode) {
  NodeUse use({{.name = "n1", .resources = {{"ncpus", 4}}}});
  schemas::PartPlace two = On("n1", 3);
  two.chunks.push_back(two.chunks[0]);
  EXPECT_FALSE(use.Clean(two, false));
  EXPECT_FALSE(use.Exists(two));
  EXPECT_FALSE(use.Exists(On("n9", 1)));
}

TEST(NodeUse, KeepsPartsOnNodesThatLeftTheConfiguration) {
  NodeUse use({{.name = "n1", .resources = {{"ncpus", 4}}}});
  use.Enter({F(1), 1}, On("gone", 1), false);
  EXPECT_FALSE(use.Exists(On("gone", 1)));
  use.Leave({F(1), 1});
}

TEST(Ports, GivesEachPortOnceAndLetsTheOneGivenBackRestLongest) {
  Ports ports("lakes", 10, 12);
  EXPECT_EQ(ports.Take(), "lakes:10");
  EXPECT_EQ(ports.Take(), "lakes:11");
  ports.GiveBack("lakes:10");
  EXPECT_EQ(ports.Take(), "lakes:12");
  EXPECT_EQ(ports.Take(), "lakes:10");
  EXPECT_FALSE(ports.Take());
  ports.GiveBack("other:11");
  ports.GiveBack("lakes:11x");
  ports.GiveBack("lakes:99");
  EXPECT_FALSE(ports.Take());
  ports.GiveBack("lakes:11");
  EXPECT_EQ(ports.Take(), "lakes:11");
}

TEST(Ports, KeepsWhatARecordNamesAfterARestart) {
  Ports ports("lakes", 10, 11);
  ports.Keep("lakes:10");
  ports.Keep("elsewhere:11");
  EXPECT_EQ(ports.Take(), "lakes:11");
  EXPECT_FALSE(ports.Take());
}

schemas::HoldOrder GoodOrder() {
  schemas::HoldOrder order{.fence = F(1),
                           .requester = {.user = "kim"},
                           .members = {"lakes"},
                           .part_count = 1,
                           .stage = schemas::HoldState::kPrepared,
                           .deadline_after = {10}};
  order.parts.push_back({.chunks = {{.resources = {{"ncpus", 1}}}}, .duration = {60}});
  order.payload_digest = schemas::DigestOf(order.payload);
  return order;
}

TEST(Admission, TakesASoundOrderAndRefusesEachFaultBySayingWhat) {
  Options options;
  options.name = "lakes";
  EXPECT_FALSE(FaultOf(GoodOrder(), options));
  const std::vector<std::function<void(schemas::HoldOrder&)>> faults = {
      [](auto& o) { o.parts.clear(); },
      [](auto& o) { o.parts.resize(65, o.parts[0]); },
      [](auto& o) { o.parts[0].index = 0; },
      [](auto& o) { o.parts[0].index = 2; },
      [](auto& o) { o.parts.push_back(o.parts[0]); },
      [](auto& o) { o.parts[0].chunks.clear(); },
      [](auto& o) { o.parts[0].chunks[0].count = 0; },
      [](auto& o) { o.parts[0].chunks[0].count = 100001; },
      [](auto& o) { o.parts[0].chunks[0].resources.Set("ncpus", -1); },
      [](auto& o) { o.parts[0].chunks[0].resources.Set("mem", INT64_MAX); },
      [](auto& o) { o.parts[0].duration = {0}; },
      [](auto& o) { o.parts[0].duration = {INT64_MAX}; },
      [](auto& o) { o.parts[0].offset = {-1}; },
      [](auto& o) { o.parts[0].tail = {INT64_MIN}; },
      [](auto& o) { o.part_count = 65; },
      [](auto& o) { o.members = {"woods"}; },
      [](auto& o) { o.members.clear(); },
      [](auto& o) { o.requester.user.clear(); },
      [](auto& o) { o.requester.user = std::string(256, 'x'); },
      [](auto& o) { o.job_name = std::string(256, 'x'); },
      [](auto& o) { o.deadline_after = {0}; },
      [](auto& o) { o.deadline_after = {INT64_MAX}; },
      [](auto& o) { o.stage = schemas::HoldState::kHeld; },
      [](auto& o) { o.payload.argv = {"rm"}; },
      [](auto& o) { o.payload.script = std::string(schemas::kScriptBytes + 1, 'x'); },
  };
  for (size_t i = 0; i < faults.size(); ++i) {
    schemas::HoldOrder order = GoodOrder();
    faults[i](order);
    const auto fault = FaultOf(order, options);
    ASSERT_TRUE(fault) << i;
    EXPECT_FALSE(fault->text.empty()) << i;
  }
}

TEST(Admission, ChecksTheFederationsValuesAsSectionNineSays) {
  schemas::ProtocolValues values;
  EXPECT_TRUE(Sane(values));
  values.lead = values.start_wait + Seconds(1);
  EXPECT_FALSE(Sane(values));
  values = {};
  values.permit_window = values.start_wait;
  EXPECT_FALSE(Sane(values));
  values = {};
  values.heartbeat = {1};
  EXPECT_FALSE(Sane(values));
  values.heartbeat = {0};  // an ideal link has none
  EXPECT_TRUE(Sane(values));
}

TEST(Environment, SaysWhatThePageLists) {
  schemas::HoldRecord hold{.order = GoodOrder(), .start = {1'795'960'800}};
  hold.order.request = {42};
  hold.order.job_name = "halo";
  hold.order.part_count = 3;
  hold.order.part_sites = {"woods", "lakes", "hills"};
  hold.order.parts[0].index = 2;
  hold.order.parts[0].duration = {1200};
  hold.parts = {{.index = 2, .rendezvous = "lakes:20000"}};
  hold.parts[0].place = {
      .index = 2,
      .chunks = {
          {"n1", {{"ncpus", 4}, {"ngpus", 1}}}, {"n1", {{"ncpus", 4}}}, {"n2", {{"ncpus", 2}}}}};
  hold.permit = schemas::Permit{.rendezvous = {"a:1", "lakes:20000", "c:3"}};
  const auto env = PartEnvironment("lakes", hold, hold.parts[0], {1'795'960'830});
  const std::map<std::string, std::string> want = {
      {"MUSTER_JOB_ID", "42"},
      {"MUSTER_JOB_NAME", "halo"},
      {"MUSTER_PART", "2"},
      {"MUSTER_PARTS", "3"},
      {"MUSTER_SITE", "lakes"},
      {"MUSTER_SITES", "woods,lakes,hills"},
      {"MUSTER_NODES", "n1,n2"},
      {"MUSTER_NCPUS", "8"},
      {"MUSTER_GPUS", "1"},
      {"MUSTER_RENDEZVOUS", "a:1,lakes:20000,c:3"},
      {"MUSTER_LISTEN", "lakes:20000"},
      {"MUSTER_STARTS_AT", "2026-11-29T14:00:00Z"},
      {"MUSTER_ENDS_BY", "2026-11-29T14:20:30Z"},
  };
  EXPECT_EQ(env, want);
}

TEST(Environment, WritesInstantsAsCivilDates) {
  EXPECT_EQ(Rfc3339({0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(Rfc3339({-1}), "1969-12-31T23:59:59Z");
  EXPECT_EQ(Rfc3339({951'782'400}), "2000-02-29T00:00:00Z");
  EXPECT_EQ(Rfc3339({4'107'542'399}), "2100-02-28T23:59:59Z");
  EXPECT_EQ(Rfc3339({4'107'542'400}), "2100-03-01T00:00:00Z");
}

}  // namespace
}  // namespace muster::site
