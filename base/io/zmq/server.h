// The binding side of the transport: a ROUTER over CURVE that accepts only listed keys.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/io/entropy.h"
#include "base/io/transport.h"

namespace muster::io {

struct ServerOptions {
  std::string endpoint;  // "tcp://0.0.0.0:7710"; port "*": any free port
  KeyPair keys;          // key pair of the server
  std::vector<AllowedKey> allowed;
  size_t message_bytes = size_t{4} << 20;  // a peer that sends a larger message is disconnected
};

// Binds and listens. Errors: a malformed endpoint or key, an address in use, or a ZAP handler that
// does not refuse an unlisted key (without a handler libzmq admits any key).
absl::StatusOr<std::unique_ptr<Server>> OpenServer(const ServerOptions& options);

}  // namespace muster::io
