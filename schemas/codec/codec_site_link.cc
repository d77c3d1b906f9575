// The messages between meta and sites. Each link has its own file, so that they compile in
// parallel.
#include "schemas/codec/bind.h"
#include "schemas/codec/codec.h"
#include "schemas/codec/decode.h"
#include "schemas/codec/encode.h"
#include "schemas/codec/roots.h"
#include "schemas/limits.h"

namespace muster::schemas {
namespace {

const codec::Layout& ToMetaLayout() { return codec::RootLayoutOf<ToMeta>(codec::ToMetaSchema()); }
const codec::Layout& ToSiteLayout() { return codec::RootLayoutOf<ToSite>(codec::ToSiteSchema()); }

}  // namespace

std::string Encode(const ToMeta& message) { return codec::EncodeRoot(message, ToMetaLayout(), ""); }
absl::StatusOr<ToMeta> DecodeToMeta(std::string_view bytes) {
  return codec::DecodeRoot<ToMeta>(bytes, ToMetaLayout(), codec::Author::kPeer, kMessageBytes);
}

std::string Encode(const ToSite& message) { return codec::EncodeRoot(message, ToSiteLayout(), ""); }
absl::StatusOr<ToSite> DecodeToSite(std::string_view bytes) {
  return codec::DecodeRoot<ToSite>(bytes, ToSiteLayout(), codec::Author::kPeer, kMessageBytes);
}

}  // namespace muster::schemas
