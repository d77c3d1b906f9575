// The page as a file: whole, and deaf to what its data say. Skipped by a build that has no uPlot.
#include "sim/page/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "sim/page/plots.h"

namespace muster::sim {
namespace {

constexpr char kOpens[] = "<script type=\"application/json\" id=\"data\">";
constexpr char kCloses[] = "</script>";

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasPage()) GTEST_SKIP() << "npm had not fetched uPlot when this was built: no page here";
  }
};

TEST_F(Page, HoldsItsDataWhateverTheySay) {
  const std::string data = PlotsJson({.title = "</script><b>&'\"", .text = "<!-- {{data}} –"});
  const std::string page = PageOf(data);
  const size_t begin = page.find(kOpens) + sizeof(kOpens) - 1;
  const std::string held = page.substr(begin, page.find(kCloses, begin) - begin);
  EXPECT_EQ(held.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(held), nlohmann::json::parse(data));
}

TEST_F(Page, HoldsTheLibraryItsLicenceAndItsOwnScript) {
  const std::string page = PageOf(PlotsJson({.title = "t"}));
  for (const char* part : {"var uPlot=function", "The MIT License", ".u-legend", "muster.plots/1",
                           "function drawPage(", "prefers-color-scheme: dark", "</html>"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("{{"), std::string::npos) << "a place that nothing was put into";
}

TEST_F(Page, LoadsNothing) {
  const std::string page = PageOf(PlotsJson({.title = "t"}));
  for (const char* way : {" src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(page.find(way), std::string::npos) << way;
  }
}

}  // namespace
}  // namespace muster::sim
