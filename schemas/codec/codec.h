// Encodes and decodes every message and every durable record of muster, as the schemas beside this
// file specify them. Only this folder uses Cap'n Proto (architecture.md section 3).
//
// Encoding never fails, because the program made the value itself. The encoder does not check the
// rules of common.capnp; the decoder does. A receiver refuses messages longer than kMessageBytes,
// so a sender of many entries checks size() and splits them.
//
// Decoding never aborts and never throws: every byte string gives a value or InvalidArgument, whose
// message names the field ("body.report.changes[3].what.moved: moved without a cause") or what is
// malformed. The bytes need no alignment. REQUIRES nothing; all functions may be called from any
// thread.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "schemas/client.h"
#include "schemas/meta_records.h"
#include "schemas/request.h"
#include "schemas/site_link.h"
#include "schemas/site_records.h"

namespace muster::schemas {

std::string Encode(const ToMeta& message);
std::string Encode(const ToSite& message);
std::string Encode(const ClientMessage& message);
std::string Encode(const ToClient& message);
// A request by itself, for files and tests.
std::string Encode(const RequestSpec& request);

absl::StatusOr<ToMeta> DecodeToMeta(std::string_view bytes);
absl::StatusOr<ToSite> DecodeToSite(std::string_view bytes);
absl::StatusOr<ClientMessage> DecodeClientMessage(std::string_view bytes);
absl::StatusOr<ToClient> DecodeToClient(std::string_view bytes);
absl::StatusOr<RequestSpec> DecodeRequestSpec(std::string_view bytes);

// The number of a client message that does not decode, for its refusal; 0 if the number cannot be
// read either.
MessageNumber NumberOf(std::string_view client_message);

// Records begin with eight bytes that identify the daemon and the form (records.capnp). A daemon
// can read whatever it wrote: records are checked for their form only, not for the bounds and rules
// for peers.
std::string EncodeRecord(const SiteRecord& record);
std::string EncodeRecord(const MetaRecord& record);

absl::StatusOr<SiteRecord> DecodeSiteRecord(std::string_view bytes);
absl::StatusOr<MetaRecord> DecodeMetaRecord(std::string_view bytes);

}  // namespace muster::schemas
