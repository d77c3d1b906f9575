// Lists of licences as Slurm writes them, and their names as resources.
#include "site/driver/slurm/licences.h"

#include <gtest/gtest.h>

namespace muster::driver::slurm::licences_test {
namespace {

TEST(SlurmLicences, ListsAreReadAndWritten) {
  EXPECT_EQ(LicencesIn("matlab:2,fluent;matlab:1"), (Licences{{"fluent", 1}, {"matlab", 3}}));
  EXPECT_EQ(ListOf(LicencesIn("matlab:2,fluent")), "fluent:1,matlab:2");
  EXPECT_EQ(LicencesIn(""), Licences{});
  EXPECT_EQ(ListOf({}), "");
}

TEST(SlurmLicences, MalformedEntriesAreNone) {
  EXPECT_EQ(LicencesIn("a:,b:x,c:2x,d:-1,:3,e:0,f:2"), (Licences{{"f", 2}}));
}

TEST(SlurmLicences, AreJobWideResourcesOfTheirNames) {
  const Licences there = {{"matlab", 4}, {"ansys@flex.x", 9}};
  const ResourceSet jobwide = JobwideOf(there);
  EXPECT_EQ(jobwide, (ResourceSet{{"licence_ansys_flex_x", 9}, {"licence_matlab", 4}}));
  EXPECT_EQ(LicencesOf({{"licence_ansys_flex_x", 2}, {"disk", 7}}, there),
            (Licences{{"ansys@flex.x", 2}}));
}

}  // namespace
}  // namespace muster::driver::slurm::licences_test
