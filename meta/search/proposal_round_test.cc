// Which sites are asked about a request of one part, and in which order. scheduling.md sections 1
// (R5) and 4.
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

class WaveCore : public MetaCore {
 protected:
  void AskOneAtATime() {
    options_.ask_sites = 1;
    Start();
    DialAll();
  }
  std::string SiteOf(RequestId id) { return Record(id).attempt ? SiteOfAttempt(id) : ""; }

 private:
  std::string SiteOfAttempt(RequestId id) {
    for (const schemas::AttemptRecord& attempt : core_->Attempts()) {
      if (attempt.request == id) return attempt.members.front();
    }
    return "";
  }
};

TEST_F(WaveCore, OfSitesThatAreAlikeTheUsersHomeIsAmongThoseAsked) {
  options_.users[0].home = "woods";
  AskOneAtATime();
  EXPECT_EQ(SiteOf(Submit(Spec({{}}))), "woods");
}

TEST_F(WaveCore, ASiteWhoseShadowIsBetterThanTheBestAnswerIsAskedNext) {
  AskOneAtATime();
  // Its nodes are in use in a way that amounts do not show.
  Of("hills").not_before = Instant{kBegin + 5000};
  const RequestId id = Submit(Spec({{}}));
  EXPECT_EQ(SiteOf(id), "lakes");
  EXPECT_LT(Job(id).figures.starts_by->at, Instant{kBegin + 100});
}

TEST_F(WaveCore, WhereAllThatCouldBeBetterHaveAnsweredTheBestAnswerIsTaken) {
  AskOneAtATime();
  for (const char* name : {"hills", "lakes", "woods"}) {
    Of(name).not_before = Instant{kBegin + (std::string(name) == "woods" ? 3000 : 5000)};
  }
  const RequestId id = Submit(Spec({{}}));
  EXPECT_EQ(SiteOf(id), "woods");
}

}  // namespace
}  // namespace muster::meta
