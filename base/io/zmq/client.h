// The dialling side of the transport: a DEALER over CURVE that speaks to one server whose key it
// knows.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/io/entropy.h"
#include "base/io/transport.h"

namespace muster::io {

struct ClientOptions {
  std::string endpoint;    // "tcp://meta.campus.example:7710"
  std::string server_key;  // the server's public key; another server cannot pass for it
  KeyPair keys;            // this side's own
  size_t message_bytes = size_t{4} << 20;
};

// Starts dialling; whether anybody answers, Link() tells. Refused: a malformed endpoint or key.
absl::StatusOr<std::unique_ptr<Client>> OpenClient(const ClientOptions& options);

}  // namespace muster::io
