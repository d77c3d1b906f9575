// Everything that is encoded whole, as types a test can run over.
#pragma once

#include <absl/status/statusor.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schemas/codec/bind.h"
#include "schemas/codec/codec.h"
#include "schemas/codec/roots.h"

namespace muster::schemas {

// Kind<T>: its layout, its bytes and back.
template <class T>
struct Kind;

template <class T, capnp::StructSchema (*kSchema)(), absl::StatusOr<T> (*kDecode)(std::string_view)>
struct MessageKind {
  static const codec::Layout& Layout() { return codec::RootLayoutOf<T>(kSchema()); }
  static capnp::StructSchema Schema() { return kSchema(); }
  static std::string Bytes(const T& value) { return Encode(value); }
  static absl::StatusOr<T> Value(std::string_view bytes) { return kDecode(bytes); }
};
template <class T, capnp::StructSchema (*kSchema)(), absl::StatusOr<T> (*kDecode)(std::string_view)>
struct RecordKind : MessageKind<T, kSchema, kDecode> {
  static std::string Bytes(const T& value) { return EncodeRecord(value); }
};

template <>
struct Kind<ToMeta> : MessageKind<ToMeta, codec::ToMetaSchema, DecodeToMeta> {};
template <>
struct Kind<ToSite> : MessageKind<ToSite, codec::ToSiteSchema, DecodeToSite> {};
template <>
struct Kind<ClientMessage>
    : MessageKind<ClientMessage, codec::ClientMessageSchema, DecodeClientMessage> {};
template <>
struct Kind<ToClient> : MessageKind<ToClient, codec::ToClientSchema, DecodeToClient> {};
template <>
struct Kind<RequestSpec> : MessageKind<RequestSpec, codec::RequestSpecSchema, DecodeRequestSpec> {};
template <>
struct Kind<SiteRecord> : RecordKind<SiteRecord, codec::SiteRecordSchema, DecodeSiteRecord> {};
template <>
struct Kind<MetaRecord> : RecordKind<MetaRecord, codec::MetaRecordSchema, DecodeMetaRecord> {};

using Kinds =
    testing::Types<ToMeta, ToSite, ClientMessage, ToClient, RequestSpec, SiteRecord, MetaRecord>;

}  // namespace muster::schemas
