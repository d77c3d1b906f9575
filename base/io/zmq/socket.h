// Owners of what libzmq hands out, and the options every socket here has. Only for the sources of
// this folder.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/io/entropy.h"
#include "base/status.h"
#include "base/time.h"

namespace muster::io {

inline constexpr int kQueueMessages = 1000;              // waiting per connection, each way
inline constexpr BootSpan kLinger = Milliseconds(200);   // what was sent may still leave at the end
inline constexpr BootSpan kHandshakeWait = Seconds(10);  // then a half-open connection is closed
inline constexpr BootSpan kReconnectLeast = Milliseconds(100);
inline constexpr BootSpan kReconnectMost = Seconds(2);        // doubled up to here, with jitter
inline constexpr BootSpan kUnacknowledgedMost = Seconds(20);  // then TCP gives the connection up
inline constexpr int kKeepaliveIdleSeconds = 15;
inline constexpr int kKeepaliveApartSeconds = 5;
inline constexpr int kKeepaliveProbes = 3;
inline constexpr int kBacklog = 1024;  // connections not yet accepted

// libzmq's context: its I/O thread and inproc names. Destroyed after all of its sockets.
class ZmqContext {
 public:
  ZmqContext();
  ~ZmqContext();
  ZmqContext(const ZmqContext&) = delete;
  ZmqContext& operator=(const ZmqContext&) = delete;
  void* get() const { return context_; }
  // Blocking calls on its sockets end with ETERM, in every thread.
  void Shutdown();

 private:
  void* context_;
};

class ZmqSocket {
 public:
  ZmqSocket() = default;
  ZmqSocket(ZmqContext& context, int type);
  ~ZmqSocket() { Close(); }
  ZmqSocket(ZmqSocket&& other) noexcept : socket_(std::exchange(other.socket_, nullptr)) {}
  ZmqSocket& operator=(ZmqSocket&& other) noexcept {
    if (this != &other) {
      Close();
      socket_ = std::exchange(other.socket_, nullptr);
    }
    return *this;
  }
  void* get() const { return socket_; }
  void Close();

  // A refused option is a bug of the caller.
  void Set(int option, int value);
  void Set(int option, int64_t value);
  void Set(int option, const std::string& value);
  int GetInt(int option) const;
  std::string GetText(int option) const;
  bool Readable() const;

 private:
  void* socket_ = nullptr;
};

// Limits, keepalive and time-outs of a socket over TCP. No ZMQ_HEARTBEAT_IVL: with a full queue it
// can abort the process; heartbeats are the protocol's.
void SetTransportOptions(ZmqSocket& socket, size_t message_bytes);
void SetCurveClient(ZmqSocket& socket, const std::string& server_key, const KeyPair& keys);

// "what: why", why being libzmq's last error.
absl::Status ZmqError(const std::string& what);

}  // namespace muster::io
