// Thin wrappers of libzmq's C interface.
#include "base/io/zmq/socket.h"

#include <errno.h>
#include <zmq.h>

#include <array>

#include "base/check.h"

namespace muster::io {

ZmqContext::ZmqContext() : context_(zmq_ctx_new()) { MUSTER_CHECK(context_ != nullptr); }

ZmqContext::~ZmqContext() {
  while (zmq_ctx_term(context_) != 0) MUSTER_CHECK(errno == EINTR);
}

void ZmqContext::Shutdown() { MUSTER_CHECK(zmq_ctx_shutdown(context_) == 0); }

ZmqSocket::ZmqSocket(ZmqContext& context, int type) : socket_(zmq_socket(context.get(), type)) {
  MUSTER_CHECK(socket_ != nullptr);
}

void ZmqSocket::Close() {
  if (socket_ != nullptr) zmq_close(std::exchange(socket_, nullptr));
}

void ZmqSocket::Set(int option, int value) {
  MUSTER_CHECK(zmq_setsockopt(socket_, option, &value, sizeof value) == 0);
}

void ZmqSocket::Set(int option, int64_t value) {
  MUSTER_CHECK(zmq_setsockopt(socket_, option, &value, sizeof value) == 0);
}

void ZmqSocket::Set(int option, const std::string& value) {
  MUSTER_CHECK(zmq_setsockopt(socket_, option, value.data(), value.size()) == 0);
}

int ZmqSocket::GetInt(int option) const {
  int value = 0;
  size_t size = sizeof value;
  MUSTER_CHECK(zmq_getsockopt(socket_, option, &value, &size) == 0);
  return value;
}

std::string ZmqSocket::GetText(int option) const {
  std::array<char, 1024> value{};
  size_t size = value.size();
  MUSTER_CHECK(zmq_getsockopt(socket_, option, value.data(), &size) == 0);
  return value.data();
}

bool ZmqSocket::Readable() const {
  int events = 0;
  size_t size = sizeof events;
  while (zmq_getsockopt(socket_, ZMQ_EVENTS, &events, &size) != 0) MUSTER_CHECK(errno == EINTR);
  return (events & ZMQ_POLLIN) != 0;
}

void SetTransportOptions(ZmqSocket& socket, size_t message_bytes) {
  socket.Set(ZMQ_LINGER, static_cast<int>(kLinger.milliseconds));
  socket.Set(ZMQ_SNDHWM, kQueueMessages);
  socket.Set(ZMQ_RCVHWM, kQueueMessages);
  socket.Set(ZMQ_MAXMSGSIZE, static_cast<int64_t>(message_bytes));
  socket.Set(ZMQ_HANDSHAKE_IVL, static_cast<int>(kHandshakeWait.milliseconds));
  socket.Set(ZMQ_BACKLOG, kBacklog);
  socket.Set(ZMQ_TCP_MAXRT, static_cast<int>(kUnacknowledgedMost.milliseconds));
  socket.Set(ZMQ_TCP_KEEPALIVE, 1);
  socket.Set(ZMQ_TCP_KEEPALIVE_IDLE, kKeepaliveIdleSeconds);
  socket.Set(ZMQ_TCP_KEEPALIVE_INTVL, kKeepaliveApartSeconds);
  socket.Set(ZMQ_TCP_KEEPALIVE_CNT, kKeepaliveProbes);
}

void SetCurveClient(ZmqSocket& socket, const std::string& server_key, const KeyPair& keys) {
  socket.Set(ZMQ_CURVE_SERVERKEY, server_key);
  socket.Set(ZMQ_CURVE_PUBLICKEY, keys.public_key);
  socket.Set(ZMQ_CURVE_SECRETKEY, keys.secret_key);
}

absl::Status ZmqError(const std::string& what) {
  return Unavailable(what + ": " + zmq_strerror(zmq_errno()));
}

}  // namespace muster::io
