// What a digest of events counts, and what it leaves out.
#include "sim/event_digest.h"

#include <gtest/gtest.h>

#include "schemas/proposal.h"
#include "schemas/site_link.h"

namespace muster::sim {
namespace {

// A value as an earlier build had it, and as one with more fields has it.
struct Before {
  std::string name;
  uint32_t version = 1;
  Digest digest;
  static constexpr auto Fields() {
    using schemas::Field;
    return schemas::FieldList(Field("name", &Before::name), Field("version", &Before::version),
                              Field("digest", &Before::digest));
  }
};
struct After {
  std::string name;
  uint32_t version = 2;
  Digest digest;
  std::string account;
  std::optional<uint32_t> limit;
  std::vector<std::string> groups;
  static constexpr auto Fields() {
    using schemas::Field;
    return schemas::FieldList(Field("name", &After::name), Field("version", &After::version),
                              Field("digest", &After::digest), Field("account", &After::account),
                              Field("limit", &After::limit), Field("groups", &After::groups));
  }
};

template <class T>
Digest Of(const T& what, const std::string& to = "lakes") {
  EventDigest digest;
  digest.Add("meta", to, what);
  return digest.so_far();
}

TEST(EventDigest, AFieldThatIsNullAVersionAndADigestDoNotCount) {
  After after{.name = "halo"};
  after.digest.bytes[0] = 7;
  EXPECT_EQ(Of(Before{.name = "halo"}), Of(after));
}

TEST(EventDigest, AllElseCounts) {
  const Digest plain = Of(After{.name = "halo"});
  EXPECT_NE(plain, Of(After{.name = "hal"}));
  EXPECT_NE(plain, Of(After{.name = "halo", .account = "chem"}));
  EXPECT_NE(plain, Of(After{.name = "halo", .limit = 0})) << "zero is not none";
  EXPECT_NE(plain, Of(After{.name = "halo", .groups = {""}}));
  EXPECT_NE(Of(After{.name = "a", .account = "b"}), Of(After{.name = "b", .account = "a"}));
  EXPECT_NE(plain, Of(After{.name = "halo"}, "woods")) << "who hears it";
}

TEST(EventDigest, TheOrderOfEventsCounts) {
  const schemas::ProposalEntry first{.user = "kim"};
  const schemas::ProposalEntry second{.user = "ana"};
  EventDigest one;
  one.Add("meta", "lakes", first);
  one.Add("meta", "lakes", second);
  EventDigest other;
  other.Add("meta", "lakes", second);
  other.Add("meta", "lakes", first);
  EXPECT_NE(one.so_far(), other.so_far());
}

}  // namespace
}  // namespace muster::sim
