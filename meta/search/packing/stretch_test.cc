// A stretch against the plainest model of one: what is free, second by second.
#include "meta/search/packing/stretch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace muster::packing {
namespace {

constexpr int64_t kBegin = 100;
constexpr int64_t kSeconds = 40;

class Model {
 public:
  explicit Model(int64_t free) : free_(kSeconds, free) {}

  void Take(int64_t begin, int64_t end, int64_t amount) {
    for (int64_t t = std::max(begin, kBegin); t < std::min(end, kBegin + kSeconds); ++t) {
      free_[static_cast<size_t>(t - kBegin)] -= amount;
    }
  }
  bool Fits(int64_t amount, int64_t length, int64_t at) const {
    if (at < kBegin || at + length > kBegin + kSeconds) return false;
    const auto from = free_.begin() + (at - kBegin);
    return std::all_of(from, from + length, [&](int64_t free) { return free >= amount; });
  }
  std::optional<Instant> EarliestFit(int64_t amount, int64_t length, int64_t from) const {
    for (int64_t t = from; t < kBegin + kSeconds; ++t) {
      if (Fits(amount, length, t)) return Instant{t};
    }
    return std::nullopt;
  }
  int64_t Longest(int64_t amount, bool gaps) const {
    int64_t out = 0;
    for (int64_t t = kBegin; t < kBegin + (gaps ? kSeconds : 1); ++t) {
      while (Fits(amount, out + 1, t)) ++out;
    }
    return out;
  }

 private:
  std::vector<int64_t> free_;
};

int64_t Longest(const Stretch& stretch, int64_t amount, bool gaps) {
  for (const Stretch::Run& run : stretch.Runs(gaps)) {
    if (run.amount >= amount) return run.longest.seconds;
  }
  return 0;
}

TEST(Stretch, AnswersAsOneThatIsKeptSecondBySecond) {
  Random random(9);
  for (int run = 0; run < 60; ++run) {
    const int64_t free = random.Between(1, 8);
    Stretch stretch({{Instant{kBegin}, free}}, Instant{kBegin + kSeconds});
    Model model(free);
    for (int step = 0; step < 25; ++step) {
      // Bookings may begin before the stretch, end behind it, and take more than there is.
      const int64_t begin = random.Between(kBegin - 5, kBegin + kSeconds + 2);
      const int64_t end = begin + random.Between(0, 12);
      const int64_t taken = random.Between(1, 3);
      stretch.Take(Instant{begin}, Instant{end}, taken);
      model.Take(begin, end, taken);
      const int64_t amount = random.Between(1, 8);
      const int64_t length = random.Between(1, 20);
      const int64_t from = random.Between(kBegin, kBegin + kSeconds);
      ASSERT_EQ(stretch.EarliestFit(amount, Span{length}, Instant{from}),
                model.EarliestFit(amount, length, from));
      for (const bool gaps : {false, true}) {
        ASSERT_EQ(Longest(stretch, amount, gaps), model.Longest(amount, gaps));
      }
    }
  }
}

}  // namespace
}  // namespace muster::packing
