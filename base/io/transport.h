// Authenticated messages between processes. The only implementation is base/io/zmq (CURVE,
// mandatory ZAP). One thread per transport. base/io/wait.h waits for several of them and for file
// descriptors at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace muster::io {

// An authenticated peer: `name` is the ZAP user id ("site:lakes", "user:kim"), `link` one
// connection of it. Several connections of one name may be open at once (a user's terminals).
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

// Something WaitReadable (base/io/wait.h) can wait for beside file descriptors.
class Waitable {
 public:
  virtual ~Waitable() = default;
  // Becomes readable when Pending() should be asked again; says nothing by itself, and stays silent
  // while something is pending. Owned by the transport.
  virtual int Fd() const = 0;
  // True if Receive would give a message without waiting.
  virtual bool Pending() = 0;
};

// The side that binds: a daemon for its sites and users.
class Server : public Waitable {
 public:
  // Takes what is there, at most `limit` messages; waits up to `wait` for the first. Messages
  // larger than kMessageBytes never arrive: the peer is cut off.
  virtual std::vector<Incoming> Receive(size_t limit, BootSpan wait) = 0;
  // False if the connection is gone or its queue is full: the message is dropped, the protocol
  // repeats.
  virtual bool Send(const Peer& peer, std::string_view bytes) = 0;
  // Replaces the list of keys that are heard, at once: what open connections of keys no longer
  // listed send is dropped, and Send to them is false.
  virtual void Allow(const std::vector<AllowedKey>& keys) = 0;
  // The port bound, for listen addresses that asked for any ("tcp://127.0.0.1:*").
  virtual std::string Endpoint() const = 0;
};

// kConnecting: nobody accepts the connection, or it was lost, or the other side has not spoken yet.
// kHandshakeFailed: the connection is accepted and the handshake is not, again and again: this key
// is not listed there, or the server's key is not the one expected; the protocol does not tell
// which.
enum class LinkState : uint8_t { kConnecting, kConnected, kHandshakeFailed };

// The side that dials: a site to its meta, a client to a daemon. Reconnects by itself with jittered
// back-off; what was sent before and not delivered goes out then.
class Client : public Waitable {
 public:
  // Takes what is there, at most `limit` messages; waits up to `wait` for the first.
  virtual std::vector<std::string> Receive(size_t limit, BootSpan wait) = 0;
  // Never waits. False if the queue is full: the message is dropped.
  virtual bool Send(std::string_view bytes) = 0;
  // As of now.
  virtual LinkState Link() = 0;
};

}  // namespace muster::io
