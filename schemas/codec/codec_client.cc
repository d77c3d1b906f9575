// The messages between clients and the meta.
#include <algorithm>

#include "schemas/codec/bind.h"
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
  return codec::DecodeRoot<ClientMessage>(bytes, ClientMessageLayout(), codec::Author::kPeer,
                                          kMessageBytes);
}

std::string Encode(const ToClient& message) {
  return codec::EncodeRoot(message, ToClientLayout(), "");
}
absl::StatusOr<ToClient> DecodeToClient(std::string_view bytes) {
  return codec::DecodeRoot<ToClient>(bytes, ToClientLayout(), codec::Author::kPeer, kMessageBytes);
}

std::string Encode(const RequestSpec& request) {
  return codec::EncodeRoot(request, RequestSpecLayout(), "");
}
absl::StatusOr<RequestSpec> DecodeRequestSpec(std::string_view bytes) {
  return codec::DecodeRoot<RequestSpec>(bytes, RequestSpecLayout(), codec::Author::kPeer,
                                        kMessageBytes);
}

MessageNumber NumberOf(std::string_view client_message) {
  if (!codec::AlignedMessage::Refusal(client_message, kMessageBytes).empty()) return {};
  const codec::Layout& layout = ClientMessageLayout();
  const auto number =
      std::find_if(layout.slots.begin(), layout.slots.end(),
                   [](const codec::Slot& s) { return std::string_view(s.name) == "number"; });
  try {
    codec::AlignedMessage message(client_message);
    return {codec::Source(message.Root()).Load<uint64_t>(number->offset)};
  } catch (const kj::Exception&) {
    return {};
  }
}

}  // namespace muster::schemas
