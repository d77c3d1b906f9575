// Which changes are tried, and which of them are told of.
#include "meta/service/ways_tried.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::meta {
namespace {

using testing::ElementsAre;

Way Change(std::string text, std::string number = "", int64_t left = 0) {
  Way way{.text = std::move(text), .number = std::move(number), .left = left};
  way.spec.name = way.text;
  return way;
}

class Ways : public testing::Test {
 protected:
  // The next one is asked and found to start then; never: nothing was proved.
  void Found(std::optional<Instant> by) {
    const size_t way = *ways_.Next();
    ways_.Answer(way, by ? std::optional(WayFound{{}, *by, *by}) : std::nullopt);
  }
  std::vector<std::string> Helpful(Instant before) const {
    std::vector<std::string> out;
    for (const auto& [way, found] : ways_.ThatHelp(before, Span{60})) out.push_back(way->text);
    return out;
  }
  WaysTried ways_;
};

TEST_F(Ways, OnlyWhatIsProvedAndSavesEnoughHelps) {
  for (const char* text : {"a", "b", "c", "d"}) ways_.Add(Change(text));
  Found(Instant{940});
  Found(Instant{941});
  Found(std::nullopt);
  EXPECT_THAT(Helpful(Instant{1000}), ElementsAre("a"));
  EXPECT_EQ(ways_.unproved(), 1u);
  EXPECT_EQ(ways_.untried(), 1u);
  EXPECT_FALSE(ways_.Done());
  Found(Instant{0});
  EXPECT_THAT(Helpful(Instant{1000}), ElementsAre("a", "d"));
  EXPECT_TRUE(ways_.Done());
}

TEST_F(Ways, OfOneNumberLessIsThereOnlyIfItSavesThatMuchMore) {
  ways_.Add(Change("2h", "duration", 7200));
  ways_.Add(Change("1h", "duration", 3600));
  ways_.Add(Change("1m", "duration", 60));
  ways_.Add(Change("3 sets", "1:sets", 3));
  Found(Instant{800});
  Found(Instant{790});
  Found(Instant{100});
  Found(Instant{790});
  EXPECT_THAT(Helpful(Instant{1000}), ElementsAre("2h", "1m", "3 sets"));
}

TEST_F(Ways, NoMoreAreAskedThanTheirBound) {
  for (size_t i = 0; i < kWaysTried + 3; ++i) ways_.Add(Change(std::to_string(i)));
  ways_.Add(Change("0"));  // there already
  EXPECT_EQ(ways_.size(), kWaysTried);
  for (size_t i = 0; i < kWaysTried; ++i) Found(Instant{0});
  EXPECT_EQ(ways_.Next(), std::nullopt);
  EXPECT_EQ(ways_.untried(), 3u);
}

}  // namespace
}  // namespace muster::meta
