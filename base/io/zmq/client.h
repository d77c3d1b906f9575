// The dialling side of the transport: a DEALER over CURVE to one server with a known key.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/io/entropy.h"
#include "base/io/transport.h"

namespace muster::io {

struct ClientOptions {
  std::string endpoint;    // "tcp://meta.campus.example:7710"
  std::string server_key;  // public key of the server, which authenticates it
  KeyPair keys;            // key pair of this side
  size_t message_bytes = size_t{4} << 20;
};

// Starts to dial; Link() says whether the server answers. Errors: a malformed endpoint or key.
absl::StatusOr<std::unique_ptr<Client>> OpenClient(const ClientOptions& options);

}  // namespace muster::io
