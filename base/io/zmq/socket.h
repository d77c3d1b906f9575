// RAII owners of libzmq's context and sockets, and the options common to all sockets. Only for the
// sources of this folder.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/io/entropy.h"
#include "base/status.h"
#include "base/time.h"

namespace muster::io {

inline constexpr int kQueueMessages = 1000;  // queued per connection and direction
// How long closing waits for unsent messages.
inline constexpr BootSpan kLinger = Milliseconds(200);
// Limit for a handshake, then the connection is closed.
inline constexpr BootSpan kHandshakeWait = Seconds(10);
inline constexpr BootSpan kReconnectLeast = Milliseconds(100);
inline constexpr BootSpan kReconnectMost = Seconds(2);  // delays double up to this, with jitter
// Time without acknowledgement after which TCP gives up.
inline constexpr BootSpan kUnacknowledgedMost = Seconds(20);
inline constexpr int kKeepaliveIdleSeconds = 15;
inline constexpr int kKeepaliveApartSeconds = 5;
inline constexpr int kKeepaliveProbes = 3;
inline constexpr int kBacklog = 1024;  // connections waiting to be accepted

// A libzmq context with its I/O thread and inproc names. Destroy it after all its sockets.
class ZmqContext {
 public:
  ZmqContext();
  ~ZmqContext();
  ZmqContext(const ZmqContext&) = delete;
  ZmqContext& operator=(const ZmqContext&) = delete;
  void* get() const { return context_; }
  // Makes blocking calls on its sockets fail with ETERM, in every thread.
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

  // Sets an option; aborts if libzmq refuses it, since that is a bug of the caller.
  void Set(int option, int value);
  void Set(int option, int64_t value);
  void Set(int option, const std::string& value);
  int GetInt(int option) const;
  std::string GetText(int option) const;
  bool Readable() const;

 private:
  void* socket_ = nullptr;
};

// Sets limits, keepalive and time-outs of a TCP socket. Does not set ZMQ_HEARTBEAT_IVL, which can
// abort the process when a queue is full; the protocol has its own heartbeats.
void SetTransportOptions(ZmqSocket& socket, size_t message_bytes);
void SetCurveClient(ZmqSocket& socket, const std::string& server_key, const KeyPair& keys);

// A status "WHAT: WHY", with libzmq's last error as WHY.
absl::Status ZmqError(const std::string& what);

}  // namespace muster::io
