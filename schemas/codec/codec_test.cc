// Every message and record comes back as it was, its bytes are those of the specification, and
// schema and plain structs cannot differ.
#include "schemas/codec/codec.h"

#include <gtest/gtest.h>

#include "schemas/canonical.h"
#include "schemas/canonical_reader.h"
#include "schemas/codec/filler_test.h"
#include "schemas/codec/kinds_test.h"

namespace muster::schemas {
namespace {

template <class T>
class Codec : public testing::Test {};
TYPED_TEST_SUITE(Codec, Kinds);

TYPED_TEST(Codec, GivesBackWhatItGot) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    TypeParam value;
    codec::Filler(seed, 1 + seed % 6).FillRoot(value, Kind<TypeParam>::Layout());
    const std::string bytes = Kind<TypeParam>::Bytes(value);
    const absl::StatusOr<TypeParam> back = Kind<TypeParam>::Value(bytes);
    ASSERT_TRUE(back.ok()) << "seed " << seed << ": " << back.status();
    ASSERT_TRUE(*back == value) << "seed " << seed;
    ASSERT_EQ(ToHex(DigestOf(*back)), ToHex(DigestOf(value))) << "seed " << seed;
    ASSERT_TRUE(Kind<TypeParam>::Bytes(*back) == bytes) << "seed " << seed;
  }
}

TYPED_TEST(Codec, GivesBackAnEmptyOne) {
  const TypeParam value;
  const absl::StatusOr<TypeParam> back = Kind<TypeParam>::Value(Kind<TypeParam>::Bytes(value));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(*back == value);
}

TYPED_TEST(Codec, TakesBytesThatAreNotAligned) {
  TypeParam value;
  codec::Filler(1, 3).FillRoot(value, Kind<TypeParam>::Layout());
  const std::string bytes = Kind<TypeParam>::Bytes(value);
  for (size_t shift = 0; shift < 8; ++shift) {
    const std::string moved = std::string(shift, '\x5a') + bytes;
    const absl::StatusOr<TypeParam> back =
        Kind<TypeParam>::Value(std::string_view(moved).substr(shift));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(*back == value);
  }
}

TYPED_TEST(Codec, ItsCanonicalFormGivesItBackAndNothingWhereItIsCut) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    TypeParam value;
    codec::Filler(seed, 1 + seed % 6).FillRoot(value, Kind<TypeParam>::Layout());
    CanonicalWriter writer;
    writer.Put(value);
    const std::string_view bytes = writer.bytes();
    TypeParam back;
    CanonicalReader reader(bytes);
    reader.Get(back);
    ASSERT_TRUE(reader.AtEnd()) << "seed " << seed;
    ASSERT_TRUE(back == value) << "seed " << seed;
    for (size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 50) {
      TypeParam less;
      CanonicalReader torn(bytes.substr(0, cut));
      torn.Get(less);
      ASSERT_FALSE(torn.ok()) << "seed " << seed << ", " << cut << " of " << bytes.size();
    }
  }
}

TEST(Bytes, KeepEmptyTextsAndSetsApartFromAbsentOnes) {
  ToClient message{.body = Rows{.jobs = {JobView{.once = ""}, JobView{}},
                                .sites = {SiteView{.total = ResourceSet()}, SiteView{}}}};
  const absl::StatusOr<ToClient> back = DecodeToClient(Encode(message));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(*back == message);
}

std::string Hex(std::string_view bytes) {
  return ToHex(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// A change of these bytes is a change of the protocol: it asks for a higher kProtocolVersion.
TEST(Bytes, OfAMessageAreThoseOfTheSpecification) {
  const ToMeta message{.federation = "lakes",
                       .incarnation = {2},
                       .number = {9},
                       .expires = {1000},
                       .body = Offer{.fence = {{3}, 17},
                                     .starts = IntervalSet(std::vector<Interval>{{{10}, {20}}}),
                                     .plan = {5}}};
  EXPECT_EQ(Hex(Encode(message)),
            "000000001100000000000000050002000d000000060000000200000000000000"
            "09000000000000000000000000000000e8030000000000000500000032000000"
            "04000000010002006c616b657300000005000000000000000400000002000000"
            "0900000017000000030000000000000011000000000000000400000002000000"
            "0a000000000000001400000000000000");
}

TEST(Bytes, OfARecordAreThoseOfTheSpecification) {
  const SiteRecord record =
      SiteIdentity{.federation = "lakes", .site = "alster", .epoch = {3}, .incarnation = {2}};
  EXPECT_EQ(Hex(EncodeRecord(record)),
            "6d75737465725331000000001600000000000000010001000000000000000000"
            "0000000004000500030000000000000002000000000000000000000000000000"
            "00000000000000001100000032000000110000003a0000001000000002000000"
            "140000000100010000000000000000006c616b6573000000616c737465720000"
            "0000000000000000000000000000000000000000000000000100000002010000"
            "0000000000000000000000000000000000000000000000000000000000000000");
}

}  // namespace
}  // namespace muster::schemas
