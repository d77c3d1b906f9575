// Encodes durable records: a message after eight bytes that identify daemon and form.
#include <limits>

#include "schemas/codec/bind.h"
#include "schemas/codec/codec.h"
#include "schemas/codec/decode.h"
#include "schemas/codec/encode.h"
#include "schemas/codec/roots.h"

namespace muster::schemas {
namespace {

constexpr std::string_view kSiteMark = "musterS1";
constexpr std::string_view kMetaMark = "musterM1";
constexpr size_t kUnbounded = std::numeric_limits<size_t>::max();

const codec::Layout& SiteRecordLayout() {
  return codec::RootLayoutOf<SiteRecord>(codec::SiteRecordSchema());
}
const codec::Layout& MetaRecordLayout() {
  return codec::RootLayoutOf<MetaRecord>(codec::MetaRecordSchema());
}

// OK if the bytes have the mark; otherwise an error that says what they are instead, if that shows.
absl::Status CheckMark(std::string_view bytes, std::string_view mark, std::string_view what) {
  const std::string_view found = bytes.substr(0, mark.size());
  if (found == mark) return absl::OkStatus();
  const std::string expected = "not a record of a " + std::string(what);
  if (found == kSiteMark) return InvalidArgument(expected + " but of a site");
  if (found == kMetaMark) return InvalidArgument(expected + " but of a meta");
  if (found.size() == mark.size() && found.substr(0, 6) == mark.substr(0, 6)) {
    return InvalidArgument(expected + " in a form this version reads");
  }
  return InvalidArgument(expected);
}

}  // namespace

std::string EncodeRecord(const SiteRecord& record) {
  return codec::EncodeRoot(record, SiteRecordLayout(), kSiteMark);
}
std::string EncodeRecord(const MetaRecord& record) {
  return codec::EncodeRoot(record, MetaRecordLayout(), kMetaMark);
}

absl::StatusOr<SiteRecord> DecodeSiteRecord(std::string_view bytes) {
  MUSTER_RETURN_IF_ERROR(CheckMark(bytes, kSiteMark, "site"));
  return codec::DecodeRoot<SiteRecord>(bytes.substr(kSiteMark.size()), SiteRecordLayout(),
                                       codec::Author::kSelf, kUnbounded);
}
absl::StatusOr<MetaRecord> DecodeMetaRecord(std::string_view bytes) {
  MUSTER_RETURN_IF_ERROR(CheckMark(bytes, kMetaMark, "meta"));
  return codec::DecodeRoot<MetaRecord>(bytes.substr(kMetaMark.size()), MetaRecordLayout(),
                                       codec::Author::kSelf, kUnbounded);
}

}  // namespace muster::schemas
