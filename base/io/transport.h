// Authenticated messages between processes. The only implementation is base/io/zmq (CURVE, mandatory ZAP).
// One thread per transport.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace muster::io {

// An authenticated peer: `name` is the ZAP user id ("site:lakes", "user:kim"), `link` one connection of it.
// Several connections of one name may be open at once (a user's terminals).
struct Peer {
  std::string name;
  std::string link;  // opaque, unique per connection while it lives
  auto operator<=>(const Peer&) const = default;
};

struct Incoming {
  Peer peer;
  std::string bytes;
};

// A key that is heard, and the name it gives.
struct AllowedKey {
  std::string public_key;  // Z85, 40 characters
  std::string name;        // "site:NAME" or "user:NAME"
};

// The side that binds: a daemon for its sites and users.
class Server {
 public:
  virtual ~Server() = default;
  // Takes what is there, at most `limit` messages; waits up to `wait` for the first. Messages larger than
  // kMessageBytes never arrive: the peer is cut off.
  virtual std::vector<Incoming> Receive(size_t limit, BootSpan wait) = 0;
  // False if the connection is gone or its queue is full: the message is dropped, the protocol repeats.
  virtual bool Send(const Peer& peer, std::string_view bytes) = 0;
  // Replaces the list of keys that are heard.
  virtual void Allow(const std::vector<AllowedKey>& keys) = 0;
  // The port bound, for listen addresses that asked for any ("tcp://127.0.0.1:*").
  virtual std::string Endpoint() const = 0;
};

// The side that dials: a site to its meta, a client to a daemon. Reconnects by itself with jittered back-off.
class Client {
 public:
  virtual ~Client() = default;
  virtual std::vector<std::string> Receive(size_t limit, BootSpan wait) = 0;
  virtual bool Send(std::string_view bytes) = 0;
};

}  // namespace muster::io
