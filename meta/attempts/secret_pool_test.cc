// When secrets are drawn, and that none is used twice.
#include "meta/attempts/secret_pool.h"

#include <gtest/gtest.h>

namespace muster::meta {
namespace {

Secret Numbered(uint8_t number) {
  Secret secret{};
  secret.bytes[0] = number;
  return secret;
}

TEST(SecretPool, EachSecretIsGivenOutOnce) {
  SecretPool pool;
  EXPECT_TRUE(pool.empty());
  pool.Add({Numbered(1), Numbered(2)});
  const Secret first = pool.Draw();
  const Secret second = pool.Draw();
  EXPECT_TRUE(first != second);
  EXPECT_TRUE(pool.empty());
  EXPECT_DEATH(pool.Draw(), "empty");
}

TEST(SecretPool, IsFilledUpBeforeItIsEmptyAndNotAllTheTime) {
  SecretPool pool;
  const size_t all = pool.Wanted();
  EXPECT_GT(all, 0u);
  pool.Add(std::vector<Secret>(all));
  EXPECT_EQ(pool.Wanted(), 0u);
  size_t drawn = 0;
  for (; pool.Wanted() == 0; ++drawn) pool.Draw();
  EXPECT_GT(drawn, 1u);
  EXPECT_FALSE(pool.empty());
  EXPECT_EQ(pool.Wanted(), drawn);
}

}  // namespace
}  // namespace muster::meta
