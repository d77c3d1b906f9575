// Every message and record comes back as it was, and what breaks a rule of common.capnp is refused
// by name.
#include "schemas/codec/codec.h"

#include <gtest/gtest.h>

#include "schemas/codec/bind.h"
#include "schemas/codec/filler.h"
#include "schemas/codec/roots.h"

namespace muster::schemas {
namespace {

template <class T>
struct Kind;
template <>
struct Kind<ToMeta> {
  static const codec::Layout& Layout() {
    return codec::RootLayoutOf<ToMeta>(codec::ToMetaSchema());
  }
  static std::string Bytes(const ToMeta& v) { return Encode(v); }
  static absl::StatusOr<ToMeta> Value(std::string_view bytes) { return DecodeToMeta(bytes); }
};
template <>
struct Kind<ToSite> {
  static const codec::Layout& Layout() {
    return codec::RootLayoutOf<ToSite>(codec::ToSiteSchema());
  }
  static std::string Bytes(const ToSite& v) { return Encode(v); }
  static absl::StatusOr<ToSite> Value(std::string_view bytes) { return DecodeToSite(bytes); }
};
template <>
struct Kind<ClientMessage> {
  static const codec::Layout& Layout() {
    return codec::RootLayoutOf<ClientMessage>(codec::ClientMessageSchema());
  }
  static std::string Bytes(const ClientMessage& v) { return Encode(v); }
  static absl::StatusOr<ClientMessage> Value(std::string_view bytes) {
    return DecodeClientMessage(bytes);
  }
};
template <>
struct Kind<ToClient> {
  static const codec::Layout& Layout() {
    return codec::RootLayoutOf<ToClient>(codec::ToClientSchema());
  }
  static std::string Bytes(const ToClient& v) { return Encode(v); }
  static absl::StatusOr<ToClient> Value(std::string_view bytes) { return DecodeToClient(bytes); }
};
template <>
struct Kind<RequestSpec> {
  static const codec::Layout& Layout() {
    return codec::RootLayoutOf<RequestSpec>(codec::RequestSpecSchema());
  }
  static std::string Bytes(const RequestSpec& v) { return Encode(v); }
  static absl::StatusOr<RequestSpec> Value(std::string_view bytes) {
    return DecodeRequestSpec(bytes);
  }
};
template <>
struct Kind<SiteRecord> {
  static const codec::Layout& Layout() {
    return codec::RootLayoutOf<SiteRecord>(codec::SiteRecordSchema());
  }
  static std::string Bytes(const SiteRecord& v) { return EncodeRecord(v); }
  static absl::StatusOr<SiteRecord> Value(std::string_view bytes) {
    return DecodeSiteRecord(bytes);
  }
};
template <>
struct Kind<MetaRecord> {
  static const codec::Layout& Layout() {
    return codec::RootLayoutOf<MetaRecord>(codec::MetaRecordSchema());
  }
  static std::string Bytes(const MetaRecord& v) { return EncodeRecord(v); }
  static absl::StatusOr<MetaRecord> Value(std::string_view bytes) {
    return DecodeMetaRecord(bytes);
  }
};

template <class T>
class Codec : public testing::Test {};
using Kinds =
    testing::Types<ToMeta, ToSite, ClientMessage, ToClient, RequestSpec, SiteRecord, MetaRecord>;
TYPED_TEST_SUITE(Codec, Kinds);

TYPED_TEST(Codec, GivesBackWhatItGot) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    TypeParam value;
    codec::Filler(seed, seed % 5).FillRoot(value, Kind<TypeParam>::Layout());
    const std::string bytes = Kind<TypeParam>::Bytes(value);
    const absl::StatusOr<TypeParam> back = Kind<TypeParam>::Value(bytes);
    ASSERT_TRUE(back.ok()) << "seed " << seed << ": " << back.status();
    ASSERT_TRUE(*back == value) << "seed " << seed;
    ASSERT_TRUE(Kind<TypeParam>::Bytes(*back) == bytes) << "seed " << seed;
  }
}

TYPED_TEST(Codec, GivesBackAnEmptyOne) {
  const TypeParam value;
  const absl::StatusOr<TypeParam> back = Kind<TypeParam>::Value(Kind<TypeParam>::Bytes(value));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(*back == value);
}

}  // namespace
}  // namespace muster::schemas
