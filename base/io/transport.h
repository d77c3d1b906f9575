// Authenticated messages between processes. base/io/zmq is the only implementation (CURVE,
// mandatory ZAP). A transport belongs to one thread. base/io/wait.h waits for several transports
// and file descriptors at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace muster::io {

// An authenticated peer: `name` is the ZAP user id ("site:lakes", "user:kim"), `link` identifies
// one of its connections. One name may have several connections at once (a user's terminals).
struct Peer {
  std::string name;
  std::string link;  // opaque; unique among open connections
  auto operator<=>(const Peer&) const = default;
};

struct Incoming {
  Peer peer;
  std::string bytes;
};

// A key that is accepted, and the peer name it stands for.
struct AllowedKey {
  std::string public_key;  // Z85, 40 characters
  std::string name;        // "site:NAME" or "user:NAME"
};

// A transport that WaitReadable (base/io/wait.h) can wait for.
class Waitable {
 public:
  virtual ~Waitable() = default;
  // A descriptor, owned by the transport, that becomes readable when Pending() should be checked
  // again. Readability alone does not mean a message, and the descriptor stays silent while a
  // message is pending.
  virtual int Fd() const = 0;
  // True if Receive would return a message without waiting.
  virtual bool Pending() = 0;
};

// The binding side: a daemon that serves sites and users.
class Server : public Waitable {
 public:
  // Returns at most `limit` messages that have arrived; waits up to `wait` for the first. A peer
  // that sends a message above the size limit is disconnected.
  virtual std::vector<Incoming> Receive(size_t limit, BootSpan wait) = 0;
  // Returns false and drops the message if the connection is gone or its queue is full; the
  // protocol repeats messages.
  virtual bool Send(const Peer& peer, std::string_view bytes) = 0;
  // Replaces the list of accepted keys with immediate effect. Messages on open connections of
  // removed keys are dropped, and Send to them returns false.
  virtual void Allow(const std::vector<AllowedKey>& keys) = 0;
  // The bound endpoint with its port, for listen addresses with any port ("tcp://127.0.0.1:*").
  virtual std::string Endpoint() const = 0;
};

// State of a client's connection. kConnecting: the connection is not accepted, was lost, or the
// server has not spoken yet. kHandshakeFailed: the connection is accepted, but the server refuses
// this key, or the handshake has failed twice in a row, as it does if the server's key is not the
// expected one. The state does not say which.
enum class LinkState : uint8_t { kConnecting, kConnected, kHandshakeFailed };

// The dialling side: a site to its meta, or a client to a daemon. Reconnects automatically with
// jittered back-off and then sends undelivered messages.
class Client : public Waitable {
 public:
  // Returns at most `limit` messages that have arrived; waits up to `wait` for the first.
  virtual std::vector<std::string> Receive(size_t limit, BootSpan wait) = 0;
  // Never waits. Returns false and drops the message if the queue is full.
  virtual bool Send(std::string_view bytes) = 0;
  // The present state.
  virtual LinkState Link() = 0;
};

}  // namespace muster::io
