// The two names of a wall.
#include "site/driver/slurm/wall_names.h"

#include <gtest/gtest.h>

namespace muster::driver::slurm::wall_names_test {
namespace {

TEST(SlurmWallNames, EachOfTheTwoIsTheOthersOther) {
  const std::string first = "mu_ABCD_1.7.1", second = OtherName(first);
  EXPECT_NE(first, second);
  EXPECT_EQ(OtherName(second), first);
  EXPECT_EQ(WallNamed(first), first);
  EXPECT_EQ(WallNamed(second), first);
}

TEST(SlurmWallNames, AreFoundAmongReservationsAsAWhole) {
  const std::vector<Reservation> rows = {{.name = "mu_ABCD_1.7.1_b"}, {.name = "mu_ABCD_1.7"}};
  EXPECT_EQ(NamedIn(rows, "mu_ABCD_1.7.1"), nullptr);
  EXPECT_EQ(NamedIn(rows, OtherName("mu_ABCD_1.7.1")), rows.data());
}

}  // namespace
}  // namespace muster::driver::slurm::wall_names_test
