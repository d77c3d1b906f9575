// [bank] and what it costs elsewhere in meta.toml: what is read, and what means nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/config/meta_config.h"

namespace muster::config {
namespace bank_config_test {

using ::testing::HasSubstr;

constexpr const char* kHead = R"([meta]
name = "campus"
listen = "tcp://0.0.0.0:7710"
key = "meta.key"
state_dir = "/var/lib/muster/meta"
[[user]]
name = "kim"
key = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
)";
constexpr const char* kChem = "[[account]]\nname = \"chem\"\nowners = [\"kim\"]\n";

Diagnosed<MetaConfig> Parsed(const std::string& tables) {
  return ParseMetaConfig("/etc/muster/meta.toml", kHead + tables);
}
std::string Error(const std::string& tables) {
  const auto config = Parsed(tables);
  return config.ok() ? "" : Render(config.diagnostic());
}

TEST(BankConfig, RatesHoursChargesAndOverdraftsAreRead) {
  const auto config = Parsed(R"([[site]]
name = "lakes"
key = "llllllllllllllllllllllllllllllllllllllll"
charge = 1.5
[[account]]
name = "chem"
owners = ["kim"]
overdraft = 12.5
[[qos]]
name = "cheap"
grant = ["*"]
charge = 0
[bank]
rate = { ncpus = 1.0, ngpus = 8, "mem/gb" = 0.000001 }
[[bank.hours]]
valid = "cron 0 20 * * * for 12h"
times = 0.5
)");
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  EXPECT_EQ(config->sites[0].charge, 1500);
  EXPECT_EQ(config->accounts[0].overdraft, 12'500'000);
  EXPECT_EQ(config->qos[0].charge, 0);
  ASSERT_TRUE(config->bank.has_value());
  EXPECT_THAT(config->bank->rates,
              ::testing::UnorderedElementsAre(RateConfig{"ncpus", 1'000'000, 1},
                                              RateConfig{"ngpus", 8'000'000, 1},
                                              RateConfig{"mem", 1, int64_t{1} << 30}));
  ASSERT_EQ(config->bank->hours.size(), 1u);
  EXPECT_EQ(config->bank->hours[0].times, 500);
}

TEST(BankConfig, WithoutTheTableNothingIsCharged) { EXPECT_EQ(Parsed(kChem)->bank, std::nullopt); }

TEST(BankConfig, WhatMeansNothingIsAnErrorWithItsLine) {
  const std::string chem = kChem;
  EXPECT_THAT(Error("[bank]\nrate = { ncpus = 1 }\n"), HasSubstr("nobody has an account"));
  EXPECT_THAT(Error(chem + "[bank]\nrate = { ncpus = -1 }\n"), HasSubstr("credits an hour"));
  EXPECT_THAT(Error(chem + "[bank]\nrate = { ncpus = \"1\" }\n"), HasSubstr("credits an hour"));
  EXPECT_THAT(Error(chem + "[bank]\nrate = { ncpus = 0.0000001 }\n"),
              HasSubstr("too many decimals"));
  EXPECT_THAT(Error(chem + "[bank]\nrate = { \"mem/xx\" = 1 }\n"), HasSubstr("\"mem/gb\""));
  EXPECT_THAT(Error(chem + "[bank]\nrate = { \"mem/2gb\" = 1 }\n"), HasSubstr("\"mem/gb\""));
  EXPECT_THAT(Error(chem + "[bank]\nrate = {}\n"), HasSubstr("nothing has a rate"));
  EXPECT_THAT(Error(chem + "[bank]\n"), HasSubstr("rate"));
  const std::string bank = chem + "[bank]\nrate = { ncpus = 1 }\n";
  EXPECT_THAT(Error(bank + "[[bank.hours]]\nvalid = \"always\"\ntimes = 101\n"),
              HasSubstr("from 0 to 100"));
  EXPECT_THAT(Error(bank + "[[bank.hours]]\nvalid = \"often\"\ntimes = 1\n"),
              HasSubstr("meta.toml:15"));
  EXPECT_THAT(Error(bank + "[[bank.hours]]\nvalid = \"always\"\n"), HasSubstr("times"));
  EXPECT_THAT(Error("[[account]]\nname = \"bank\"\nowners = [\"kim\"]\n"),
              HasSubstr("no account is named 'bank'"));
  EXPECT_THAT(Error("[[account]]\nname = \"chem\"\nowners = [\"kim\"]\noverdraft = -1\n"),
              HasSubstr("credits from 0"));
}

}  // namespace bank_config_test
}  // namespace muster::config
