// The last views received from sites. Needs no core.
#include "meta/service/site_views.h"

#include <gtest/gtest.h>

namespace muster::meta {
namespace {

TEST(SiteViewsTest, OfEachSiteAndKindTheLastViewIsKept) {
  SiteViews views;
  EXPECT_EQ(views.BookingsOf("lakes"), nullptr);
  schemas::BookingsView bookings;
  bookings.nodes.resize(2);
  views.Take("lakes", {.what = bookings}, Moment{10});
  bookings.nodes.resize(3);
  views.Take("lakes", {.what = bookings}, Moment{20});
  views.Take("lakes", {.what = schemas::SlotsView{}}, Moment{30});
  ASSERT_NE(views.BookingsOf("lakes"), nullptr);
  EXPECT_EQ(views.BookingsOf("lakes")->view.nodes.size(), 3u);
  EXPECT_EQ(views.BookingsOf("lakes")->at, Moment{20});
  EXPECT_EQ(views.NodesOf("lakes"), nullptr);
  EXPECT_EQ(views.BookingsOf("hills"), nullptr);
  views.Take("hills", {.what = schemas::NodesView{}}, Moment{40});
  EXPECT_EQ(views.NodesOf("hills")->at, Moment{40});
  EXPECT_EQ(views.BookingsOf("hills"), nullptr);
}

}  // namespace
}  // namespace muster::meta
