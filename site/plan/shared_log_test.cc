// A log holds its newest entries, and a copy does not see what other copies add.
#include "site/plan/shared_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"

namespace muster::plan {
namespace {

TEST(SharedLog, KeepsTheNewestUnderTheirNumbersAndCopiesApart) {
  Random random(5);
  using Log = SharedLog<uint64_t, 4>;
  std::vector<std::pair<Log, std::vector<uint64_t>>> all(1);
  for (int step = 0; step < 5000; ++step) {
    auto& [log, expected] = all[random.Below(all.size())];
    const uint64_t what = random.Below(100);
    if (what < 90) {
      log.Add(step);
      expected.push_back(static_cast<uint64_t>(step));
    } else if (what < 95) {
      log.KeepNewest(12);
      EXPECT_LE(log.end() - log.first(), 12u);
    } else {
      if (all.size() > 8) all.erase(all.begin());
      all.push_back(all[random.Below(all.size())]);
    }
    if (step % 50 > 0) continue;
    for (const auto& [each, numbers] : all) {
      ASSERT_EQ(each.end(), numbers.size());
      ASSERT_TRUE(each.first() == each.end() || each.end() - each.first() > 0);
      for (uint64_t i = each.first(); i < each.end(); ++i) ASSERT_EQ(each[i], numbers[i]);
      const uint64_t from = static_cast<uint64_t>(step / 2);
      std::vector<uint64_t> seen;
      each.EachFrom(from, [&seen](uint64_t entry) { seen.push_back(entry); });
      const auto begin = std::min(std::max(each.first(), from), each.end());
      ASSERT_EQ(seen,
                std::vector<uint64_t>(numbers.begin() + static_cast<long>(begin), numbers.end()));
    }
    if (step % 500 == 0) all.resize(1);
  }
}

}  // namespace
}  // namespace muster::plan
