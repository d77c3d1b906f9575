// Which facts about a search each change forgets, and which it keeps.
#include "meta/search/search_states.h"

#include <gtest/gtest.h>

namespace muster::meta {
namespace {

constexpr RequestId kJob{41};

TEST(SearchStates, OneThatWasNeverSoughtIsAsNew) {
  const Searches searches;
  EXPECT_EQ(searches.Of(kJob).tries, 0U);
  EXPECT_FALSE(searches.IsAsked(kJob));
  EXPECT_FALSE(searches.SaidNever(kJob, 0, "lakes"));
}

TEST(SearchStates, WhatIsBoundStartsOverAndKeepsWhatSitesSaid) {
  Searches searches;
  EXPECT_EQ(searches.CountTry(kJob), 1U);
  EXPECT_EQ(searches.CountTry(kJob), 2U);
  EXPECT_EQ(searches.CountFailedMove(kJob), 1U);
  EXPECT_FALSE(searches.RefuseGap(kJob));
  EXPECT_TRUE(searches.RefuseGap(kJob));
  searches.MeetAlone(kJob);
  searches.Learn(kJob, 1, "lakes");
  searches.Bound(kJob);
  const SearchState& state = searches.Of(kJob);
  EXPECT_EQ(state.tries, 0U);
  EXPECT_EQ(state.moves_failed, 0U);
  EXPECT_FALSE(state.gap_refused);
  EXPECT_FALSE(state.left_queue);
  EXPECT_FALSE(state.asks_fresh);
  EXPECT_TRUE(searches.SaidNever(kJob, 1, "lakes"));
  EXPECT_FALSE(searches.SaidNever(kJob, 0, "lakes"));
}

TEST(SearchStates, AFruitlessLookIsForgottenWithWhatSitesSaidAndWithTheConfiguration) {
  Searches searches;
  for (const auto forget :
       {+[](Searches& s) { s.StartAsBefore(kJob); }, +[](Searches& s) { s.StartAsAnother(kJob); },
        +[](Searches& s) { s.ForgetFruitless(kJob); },
        +[](Searches& s) { s.ForgetAllFruitless(); }}) {
    searches.NoteFruitless(kJob, {});
    searches.Bound(kJob);
    EXPECT_TRUE(searches.Of(kJob).fruitless.has_value());
    forget(searches);
    EXPECT_FALSE(searches.Of(kJob).fruitless.has_value());
  }
}

TEST(SearchStates, WhatWasTooDearIsForgottenWithAPlaceAnotherRequestAndOtherCredits) {
  Searches searches;
  for (const auto forget :
       {+[](Searches& s) { s.Bound(kJob); }, +[](Searches& s) { s.StartAsBefore(kJob); },
        +[](Searches& s) { s.StartAsAnother(kJob); }, +[](Searches& s) { s.ForgetPrices(kJob); },
        +[](Searches& s) { s.ForgetAllPrices(); }}) {
    searches.SeekBelow(kJob, 1, 500, {.text = "6 of 7 credits"});
    searches.SeekBelow(kJob, 0, 300, {.text = "6 of 8 credits"});
    searches.StartOver(kJob);
    EXPECT_EQ(searches.Of(kJob).below, (std::map<size_t, int64_t>{{0, 300}, {1, 500}}));
    EXPECT_EQ(searches.Of(kJob).too_dear->text, "6 of 8 credits");
    forget(searches);
    EXPECT_TRUE(searches.Of(kJob).below.empty());
    EXPECT_FALSE(searches.Of(kJob).too_dear.has_value());
  }
}

TEST(SearchStates, AsAnotherRequestItsSitesAreAskedAnew) {
  Searches searches;
  searches.Learn(kJob, 0, "lakes");
  searches.StartAsAnother(kJob);
  EXPECT_FALSE(searches.SaidNever(kJob, 0, "lakes"));
  EXPECT_TRUE(searches.Of(kJob).asks_fresh);
  searches.Learn(kJob, 0, "hills");
  searches.StartAsBefore(kJob);
  EXPECT_FALSE(searches.SaidNever(kJob, 0, "hills"));
  EXPECT_FALSE(searches.Of(kJob).asks_fresh);
}

TEST(SearchStates, GuessesGoByTheSitesInTurnUntilTheRequestIsBound) {
  Searches searches;
  searches.NoteWrongGuess({1}, "hills");
  searches.NoteWrongGuess({1}, "hills");
  EXPECT_TRUE(searches.GuessedWrong({1}, "hills"));
  EXPECT_FALSE(searches.GuessedWrong({1}, "lakes"));
  EXPECT_FALSE(searches.GuessedWrong({2}, "hills"));
  searches.StartAsBefore({1});
  EXPECT_TRUE(searches.GuessedWrong({1}, "hills")) << "the next pass seeks it again";
  searches.ForgetWrongGuesses({1});
  EXPECT_FALSE(searches.GuessedWrong({1}, "hills"));
  searches.NoteWrongGuess({1}, "hills");
  searches.Bound({1});
  EXPECT_FALSE(searches.GuessedWrong({1}, "hills"));
}

TEST(SearchStates, QuestionsStayOutWhateverBecomesOfTheSearch) {
  Searches searches;
  searches.Ask(kJob);
  searches.StartOver(kJob);
  EXPECT_TRUE(searches.IsAsked(kJob));
  searches.EndAsking(kJob);
  EXPECT_FALSE(searches.IsAsked(kJob));
}

TEST(SearchStates, WhatASiteSaidIsLearntOnceAndWhatWasHeardIsTakenOnce) {
  Searches searches;
  searches.Learn(kJob, 0, "lakes");
  searches.Learn(kJob, 0, "lakes");
  EXPECT_EQ(searches.Of(kJob).never.size(), 1U);
  searches.Hear(kJob, {{"hills", {}}}, BootInstant{5000});
  EXPECT_EQ(searches.Of(kJob).heard_until, BootInstant{5000});
  EXPECT_EQ(searches.TakeHeard(kJob).size(), 1U);
  EXPECT_TRUE(searches.TakeHeard(kJob).empty());
}

TEST(SearchStates, NothingIsLeftOfOneThatIsOnRecordNoMore) {
  Searches searches;
  searches.CountTry(kJob);
  searches.Erase(kJob);
  EXPECT_EQ(searches.Of(kJob).tries, 0U);
}

// A site that has begun anew may be another: docs/adr/0079.
TEST(SearchStates, WhatASiteThatBeginsAnewSaidCanNeverBeIsForgotten) {
  Searches searches;
  searches.Learn(kJob, 0, "lakes");
  searches.Learn(kJob, 0, "hills");
  searches.NoteFruitless(kJob, {});
  searches.ForgetNever("woods");
  EXPECT_TRUE(searches.Of(kJob).fruitless) << "it has said nothing";
  searches.ForgetNever("lakes");
  EXPECT_FALSE(searches.SaidNever(kJob, 0, "lakes"));
  EXPECT_TRUE(searches.SaidNever(kJob, 0, "hills"));
  EXPECT_FALSE(searches.Of(kJob).fruitless);
}

}  // namespace
}  // namespace muster::meta
