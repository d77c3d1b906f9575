// The messages between clients and the meta.
#include "schemas/codec/codec.h"
#include "schemas/codec/decode.h"
#include "schemas/codec/encode.h"
#include "schemas/codec/roots.h"
#include "schemas/limits.h"

namespace muster::schemas {
namespace {

const codec::Layout& ClientMessageLayout() {
  return codec::RootLayoutOf<ClientMessage>(codec::ClientMessageSchema());
}
const codec::Layout& ToClientLayout() {
  return codec::RootLayoutOf<ToClient>(codec::ToClientSchema());
}
const codec::Layout& RequestSpecLayout() {
  return codec::RootLayoutOf<RequestSpec>(codec::RequestSpecSchema());
}

}  // namespace

std::string Encode(const ClientMessage& message) {
  return codec::EncodeRoot(message, ClientMessageLayout(), "");
}
absl::StatusOr<ClientMessage> DecodeClientMessage(std::string_view bytes) {
  return codec::DecodeRoot<ClientMessage>(bytes, ClientMessageLayout(), kMessageBytes);
}

std::string Encode(const ToClient& message) {
  return codec::EncodeRoot(message, ToClientLayout(), "");
}
absl::StatusOr<ToClient> DecodeToClient(std::string_view bytes) {
  return codec::DecodeRoot<ToClient>(bytes, ToClientLayout(), kMessageBytes);
}

std::string Encode(const RequestSpec& request) {
  return codec::EncodeRoot(request, RequestSpecLayout(), "");
}
absl::StatusOr<RequestSpec> DecodeRequestSpec(std::string_view bytes) {
  return codec::DecodeRoot<RequestSpec>(bytes, RequestSpecLayout(), kMessageBytes);
}

}  // namespace muster::schemas
