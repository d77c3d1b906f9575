// The canonical form is fixed, and every field of every struct takes part in it.
#include "schemas/canonical.h"

#include <gtest/gtest.h>

#include "schemas/client.h"
#include "schemas/meta_records.h"
#include "schemas/site_link.h"
#include "schemas/site_records.h"

namespace muster::schemas {
namespace {

TEST(Canonical, IsLittleEndianWithLengthsBeforeSequences) {
  CanonicalWriter writer;
  writer.Put(Chunk{.count = 2, .resources = {{"a", 258}}, .properties = {}});
  const std::string expected(
      "\2\0\0\0\0\0\0\0"
      "\1\0\0\0\0\0\0\0"
      "\1\0\0\0\0\0\0\0"
      "a"
      "\2\1\0\0\0\0\0\0"
      "\0\0\0\0\0\0\0\0"
      "\0\0\0\0\0\0\0\0"
      "\0\0\0\0\0\0\0\0",
      57);
  EXPECT_EQ(writer.bytes(), expected);
}

TEST(Canonical, DigestIsBlake2b256) {
  // The published BLAKE2b-256 value of the empty string.
  EXPECT_EQ(ToHex(Hash("")), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

TEST(Canonical, MovingBytesBetweenNeighbouringFieldsChangesTheDigest) {
  const Subject a{.site = "ab", .node = "c", .job = ""};
  const Subject b{.site = "a", .node = "bc", .job = ""};
  EXPECT_NE(DigestOf(a), DigestOf(b));
}

TEST(Canonical, WholeMessagesHaveOne) {
  ToMeta message;
  message.body = Report{};
  ToMeta other = message;
  EXPECT_EQ(DigestOf(message), DigestOf(other));
  std::get<Report>(other.body)
      .changes.push_back({.revision = {1}, .fence = {{1}, 1}, .what = Moved{}});
  EXPECT_NE(DigestOf(message), DigestOf(other));
  EXPECT_NE(DigestOf(ToSite{}), DigestOf(ToSite{.floor = {{1}, 2}}));
  EXPECT_NE(DigestOf(MetaRecord{RequestRecord{}}), DigestOf(MetaRecord{AttemptRecord{}}));
  EXPECT_NE(DigestOf(ClientMessage{}), DigestOf(ClientMessage{.body = Ask{}}));
  EXPECT_NE(DigestOf(SiteRecord{HoldRecord{}}), DigestOf(SiteRecord{ChangeRecord{}}));
}

}  // namespace
}  // namespace muster::schemas
