// Who is told how the federation's shares stand, and when.
#include "meta/requests/told_shares.h"

#include "meta/requests/fairshare.h"
#include "meta/requests/requests_fixture.h"

namespace muster::meta::told_shares_test {
namespace {

class ToldShares : public RequestsRoom {
 protected:
  ToldShares() {
    f_.options.fairshare = policy::FairshareRules{
        .window = Span{3600}, .depth = 1, .shares = {{.who = "kim", .target = 500}}};
    for (auto& [name, site] : f_.sites) site.connection = name;
    CapacityOf("lakes").capabilities = {"order", "shares"};
    CapacityOf("hills").capabilities = {"order"};
  }
  // The values that sites are told in this turn, with the site before each.
  std::vector<std::string> Told() {
    t_.out.to_sites.clear();
    TellShares(f_, t_);
    std::vector<std::string> out;
    for (const SiteMessage& message : t_.out.to_sites) {
      for (const schemas::StandingRow& row :
           std::get<schemas::Standing>(message.message.body).rows) {
        out.push_back(message.site + " " + row.who + " " + std::to_string(row.value));
      }
    }
    return out;
  }
  // So many processor-seconds of kim and of others.
  void Use(int64_t of_kim, int64_t of_others) {
    const Instant window = policy::WindowOf(*f_.options.fairshare, {}, t_.plan.Floor());
    f_.use.Add("kim", window, of_kim * 1000);
    f_.use.Add("*", window, (of_kim + of_others) * 1000);
  }
  using Lines = std::vector<std::string>;
};

TEST_F(ToldShares, AreToldToSitesThatWeighThemOnceAndWhenOneHasMoved) {
  EXPECT_EQ(Told(), Lines{"lakes kim 1000"});
  EXPECT_EQ(Told(), Lines{});
  Use(750, 250);
  EXPECT_EQ(Told(), Lines{}) << "not before the next time of the grid";
  Pass(kSharesTold);
  EXPECT_EQ(Told(), Lines{"lakes kim -500"});
  Use(1, 0);
  Pass(kSharesTold);
  EXPECT_EQ(Told(), Lines{}) << "it has moved too little";
}

TEST_F(ToldShares, AreToldAgainToASiteThatWasWelcomedAnew) {
  Told();
  f_.sites.at("lakes").told_shares.reset();
  EXPECT_EQ(Told(), Lines{"lakes kim 1000"});
}

TEST_F(ToldShares, WithoutAnyASiteIsToldNothingButThatThereAreNoneNow) {
  Told();
  f_.options.fairshare.reset();
  Pass(kSharesTold);
  t_.out.to_sites.clear();
  TellShares(f_, t_);
  ASSERT_EQ(t_.out.to_sites.size(), 1u);
  EXPECT_TRUE(std::get<schemas::Standing>(t_.out.to_sites[0].message.body).rows.empty());
}

}  // namespace
}  // namespace muster::meta::told_shares_test
