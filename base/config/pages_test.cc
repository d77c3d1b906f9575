// The files of the command's page and the samples in deploy/config are valid as written.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/config/meta_config.h"
#include "base/config/site_config.h"

namespace muster::config {
namespace {

std::string Source(const std::string& path) {
  const char* const root = std::getenv("MUSTER_SOURCE_DIR");
  std::ifstream file((root == nullptr ? std::string(".") : root) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

// The page shortens keys by "…"; any key will do.
std::string WithKeys(std::string text) {
  const std::string ellipsis = "…";
  for (size_t at = text.find(ellipsis); at != std::string::npos; at = text.find(ellipsis)) {
    const size_t begin = text.rfind('"', at) + 1;
    const size_t end = text.find('"', at);
    text.replace(begin, end - begin, std::string(39, 'a') + text[begin]);
  }
  return text;
}

// The fenced block of the page that begins with `first`.
std::string Block(const std::string& page, const std::string& first) {
  const size_t begin = page.find("```toml\n" + first);
  EXPECT_NE(begin, std::string::npos);
  const size_t end = page.find("```\n", begin + 8);
  return page.substr(begin + 8, end - begin - 8);
}

Diagnosed<SiteConfig> Read(const std::string& text) {
  return ParseSiteConfig("site.toml", text, AsOf{FromCivil({2026, 11, 21, 0, 0, 0})});
}

TEST(Pages, TheSiteFileOfTheCommandPageIsReadWhole) {
  const auto config = Read(WithKeys(Block(Source("docs/cli.md"), "# site.toml\n")));
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  EXPECT_EQ(config->nodes.size(), 18u);
  EXPECT_EQ(config->switches.size(), 3u);
  EXPECT_EQ(config->limits.size(), 5u);
  EXPECT_EQ(config->pools.size(), 2u);
  EXPECT_EQ(config->reservations.size(), 1u);
  EXPECT_EQ(config->defaults.size(), 1u);
  EXPECT_EQ(config->forced.size(), 1u);
}

TEST(Pages, TheMetaFileOfTheCommandPageIsReadWhole) {
  const auto config =
      ParseMetaConfig("meta.toml", WithKeys(Block(Source("docs/cli.md"), "# meta.toml\n")));
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  EXPECT_EQ(config->priority->weights.size(), 4u);
  EXPECT_EQ(config->priority->points.size(), 3u);
  EXPECT_EQ(config->fairshare->shares.size(), 2u);
  EXPECT_EQ(config->bank->rates.size(), 3u);
  EXPECT_EQ(config->bank->hours.size(), 1u);
  EXPECT_EQ(config->limits.size(), 1u);
}

TEST(Pages, SamplesAreGoodAndWarnOfNothing) {
  for (const char* path : {"deploy/config/site.toml", "deploy/config/site-mesh.toml",
                           "deploy/config/site-simulated.toml"}) {
    const auto config = Read(Source(path));
    ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
    EXPECT_TRUE(config->warnings.empty()) << config->warnings[0];
  }
}

}  // namespace
}  // namespace muster::config
