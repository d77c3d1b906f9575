// Durations set by sites or by the federation: defaults for requests without one, and forced ones
// that override the user's. OpenCCS Sect. 5.1 (default and force values).
#include "meta/requests/requests_fixture.h"
#include "meta/requests/validate.h"

namespace muster::meta {
namespace {

class Durations : public RequestsRoom {
 protected:
  using All = std::vector<schemas::DefaultDuration>;

  void At(const std::string& site, All durations, All forced = {}) {
    CapacityOf(site).durations = std::move(durations);
    CapacityOf(site).forced = std::move(forced);
  }
  static schemas::RequestSpec Open(std::vector<std::string> sites, Span asked = Span{0}) {
    schemas::RequestSpec spec = Spec({std::move(sites)});
    spec.duration = asked;
    return spec;
  }
  // How long it lasts there, and why.
  std::pair<Span, Lasting> Fill(std::vector<std::string> sites, Span asked = Span{0}) {
    schemas::RequestSpec spec = Open(std::move(sites), asked);
    const Lasting lasting = FillDuration(f_, spec, "kim");
    return {spec.duration, lasting};
  }
  Span Lasts(std::vector<std::string> sites) { return Fill(std::move(sites)).first; }
};

TEST_F(Durations, AreTheLongestOfTheSitesWhereItMayRun) {
  At("lakes", {{"*", Span{600}}});
  At("woods", {{"*", Span{900}}});
  EXPECT_EQ(Lasts({"lakes"}), Span{600});
  EXPECT_EQ(Lasts({"lakes", "woods"}), Span{900});
  EXPECT_EQ(Lasts({"hills", "lakes"}), Span{600});
  EXPECT_EQ(Lasts({}), Span{900});
}

TEST_F(Durations, OfAUserGoBeforeThoseOfItsGroupsAndTheseBeforeThoseOfAll) {
  f_.users["kim"].groups = {"b", "a", "c"};
  At("lakes", {{"@b", Span{20}}, {"*", Span{10}}, {"@a", Span{30}}, {"ana", Span{99}}});
  EXPECT_EQ(Lasts({"lakes"}), Span{30});
  At("woods", {{"kim", Span{40}}, {"@a", Span{30}}, {"kim", Span{50}}});
  EXPECT_EQ(Lasts({"woods"}), Span{50});
}

TEST_F(Durations, AreTheFederationsWhereNoSiteHasOneAndElseAskedFor) {
  EXPECT_EQ(Fill({"lakes"}), std::pair(Span{0}, Lasting::kAsAsked));
  const auto refused = CheckRequest(f_, Open({"lakes"}), t_.plan, true);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->code, "usage");
  EXPECT_EQ(refused->message, "how long? -t is missing, and there is no default where it may run");
  f_.options.duration = Span{1200};
  EXPECT_EQ(Fill({"lakes"}), std::pair(Span{1200}, Lasting::kByDefault));
  At("lakes", {{"*", Span{60}}});
  EXPECT_EQ(Fill({"lakes"}), std::pair(Span{60}, Lasting::kByDefault));
}

TEST_F(Durations, ThatASiteInsistsOnReplaceWhatIsAskedForThere) {
  At("lakes", {{"*", Span{600}}}, {{"*", Span{300}}, {"ana", Span{60}}});
  At("woods", {{"*", Span{900}}});
  EXPECT_EQ(Lasts({"lakes"}), Span{300});
  EXPECT_EQ(Lasts({"lakes", "woods"}), Span{900});
  EXPECT_EQ(Fill({"lakes"}, Span{7200}), std::pair(Span{300}, Lasting::kAsForced));
  EXPECT_EQ(Fill({"lakes"}, Span{300}), std::pair(Span{300}, Lasting::kAsAsked));
  // Of several sites the longest duration counts; woods takes what is asked for.
  EXPECT_EQ(Fill({"lakes", "woods"}, Span{7200}), std::pair(Span{7200}, Lasting::kAsAsked));
  EXPECT_EQ(Fill({"lakes", "woods"}, Span{60}), std::pair(Span{300}, Lasting::kAsForced));
}

}  // namespace
}  // namespace muster::meta
