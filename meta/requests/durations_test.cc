// Durations set by sites or by the federation: defaults for requests without one, and forced ones
// that override the user's. OpenCCS Sect. 5.1 (default and force values).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

class Durations : public MetaCore {
 protected:
  void DialWith(const std::string& name, std::vector<schemas::DefaultDuration> durations,
                std::vector<schemas::DefaultDuration> forced = {}) {
    FakeSite& site = Of(name);
    schemas::Capacity capacity = site.Machine();
    capacity.durations = std::move(durations);
    capacity.forced = std::move(forced);
    connected_ = true;
    Say(site,
        schemas::Hello{.incarnation = site.incarnation, .feed = site.feed, .capacity = capacity});
    Settle();
  }
  static schemas::RequestSpec Open(std::vector<std::string> sites) {
    schemas::RequestSpec spec = Spec({std::move(sites)});
    spec.duration = Span{0};
    return spec;
  }
  Span Lasts(std::vector<std::string> sites) {
    return Record(Submit(Open(std::move(sites)))).spec.duration;
  }
  std::string Refusal() {
    return RefusedBy(Client("kim", schemas::Submit{{.text = "open"}, Open({"lakes"})})).message;
  }
};

TEST_F(Durations, AreTheLongestOfTheSitesWhereItMayRun) {
  DialWith("lakes", {{"*", Span{600}}});
  DialWith("woods", {{"*", Span{900}}});
  DialWith("hills", {});
  EXPECT_EQ(Lasts({"lakes"}), Span{600});
  EXPECT_EQ(Lasts({"lakes", "woods"}), Span{900});
  EXPECT_EQ(Lasts({"hills", "lakes"}), Span{600});
  EXPECT_EQ(Lasts({}), Span{900});
}

TEST_F(Durations, OfAUserGoBeforeThoseOfItsGroupsAndTheseBeforeThoseOfAll) {
  options_.users = {{.name = "kim", .groups = {"b", "a", "c"}}};
  Start();
  DialWith("lakes", {{"@b", Span{20}}, {"*", Span{10}}, {"@a", Span{30}}, {"ana", Span{99}}});
  EXPECT_EQ(Lasts({"lakes"}), Span{30});
  DialWith("woods", {{"kim", Span{40}}, {"@a", Span{30}}, {"kim", Span{50}}});
  EXPECT_EQ(Lasts({"woods"}), Span{50});
}

TEST_F(Durations, AreTheFederationsWhereNoSiteHasOneAndElseAskedFor) {
  DialAll();
  EXPECT_EQ(Refusal(), "how long? -t is missing, and there is no default where it may run");
  options_.duration = Span{1200};
  Start();
  DialAll();
  EXPECT_EQ(Lasts({"lakes"}), Span{1200});
  DialWith("lakes", {{"*", Span{60}}});
  EXPECT_EQ(Lasts({"lakes"}), Span{60});
}

TEST_F(Durations, AreToldInTheTimelineAndMakeNoOtherJobOfTheSameKey) {
  options_.duration = Span{1200};
  Start();
  DialAll();
  const schemas::Submit submit{{.text = "nightly"}, Open({"lakes"})};
  const auto first = std::get<schemas::Accepted>(Client("kim", submit).body);
  const auto second = std::get<schemas::Accepted>(Client("kim", submit).body);
  EXPECT_TRUE(second.repeated);
  EXPECT_EQ(second.requests, first.requests);
  EXPECT_EQ(Job(first.requests[0]).events[0].text, "accepted, on disk; lasts 20m by default");
}

TEST_F(Durations, ThatASiteInsistsOnReplaceWhatIsAskedForThere) {
  DialWith("lakes", {{"*", Span{600}}}, {{"*", Span{300}}, {"ana", Span{60}}});
  DialWith("woods", {{"*", Span{900}}});
  EXPECT_EQ(Lasts({"lakes"}), Span{300});
  EXPECT_EQ(Lasts({"lakes", "woods"}), Span{900});
  schemas::RequestSpec spec = Spec({{"lakes"}});
  spec.duration = Span{7200};
  const RequestId id = Submit(spec);
  EXPECT_EQ(Record(id).spec.duration, Span{300});
  EXPECT_EQ(Of("lakes").orders.at(FenceOf(id)).parts[0].duration, Span{300});
  EXPECT_EQ(Job(id).events[0].text, "accepted, on disk; lasts 5m, as its sites insist");
  // Of several sites the longest duration counts; woods takes what is asked for.
  spec.parts[0].sites = {"lakes", "woods"};
  EXPECT_EQ(Record(Submit(spec)).spec.duration, Span{7200});
  spec.duration = Span{60};
  EXPECT_EQ(Record(Submit(spec)).spec.duration, Span{300});
}

TEST_F(Durations, ThatASiteInsistsOnOutrankAlterationsToo) {
  DialWith("lakes", {}, {{"*", Span{300}}});
  DialWith("woods", {});
  const RequestId id = Submit(Spec({{"lakes"}}));
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
  act.changes = schemas::Alteration{.duration = Span{1200}};
  EXPECT_THAT(RefusedBy(Client("kim", act)).message, testing::HasSubstr("nothing to change"));
  EXPECT_EQ(Record(id).spec.duration, Span{300});
  act.changes->parts = {schemas::PartAlteration{.sites = schemas::Names{{"woods"}}}};
  act.may_move = true;
  Acted("kim", act);
  EXPECT_EQ(Record(id).spec.duration, Span{1200});
}

}  // namespace
}  // namespace muster::meta
