// A monitor event has two frames: number and value, then the endpoint.
#include "base/io/zmq/link_monitor.h"

#include <zmq.h>

#include <cstring>

#include "base/check.h"
#include "base/io/zmq/frame.h"

namespace muster::io {
namespace {

// A single failed handshake may come from a daemon that stopped during it; kHandshakeFailed needs
// two in a row.
constexpr int kFailuresTold = 2;

}  // namespace

void LinkTracker::On(int event) {
  switch (event) {
    case ZMQ_EVENT_CONNECTED:
    case ZMQ_EVENT_CONNECT_DELAYED:
    case ZMQ_EVENT_CONNECT_RETRIED:
      stopped_ = false;
      break;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      state_ = LinkState::kConnected;
      failures_ = 0;
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      failures_ = kFailuresTold;
      state_ = LinkState::kHandshakeFailed;
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      if (++failures_ >= kFailuresTold) state_ = LinkState::kHandshakeFailed;
      break;
    case ZMQ_EVENT_DISCONNECTED:
      if (state_ == LinkState::kConnected) state_ = LinkState::kConnecting;
      stopped_ = true;  // until libzmq announces a new attempt
      break;
    case ZMQ_EVENT_CLOSED:
      // The server no longer accepts connections, so earlier handshake failures do not count.
      state_ = LinkState::kConnecting;
      failures_ = 0;
      break;
    default:
      break;
  }
}

LinkMonitor::LinkMonitor(ZmqContext& context, ZmqSocket& watched, const std::string& address)
    : watched_(watched), events_(context, ZMQ_PAIR) {
  MUSTER_CHECK(zmq_socket_monitor(watched.get(), address.c_str(), ZMQ_EVENT_ALL) == 0);
  events_.Set(ZMQ_LINGER, 0);
  MUSTER_CHECK(zmq_connect(events_.get(), address.c_str()) == 0);
}

LinkMonitor::~LinkMonitor() { zmq_socket_monitor(watched_.get(), nullptr, 0); }

std::optional<int> LinkMonitor::Next() {
  Frame frame;
  if (!frame.Receive(events_.get(), ZMQ_DONTWAIT)) return std::nullopt;
  uint16_t event = 0;
  MUSTER_CHECK(frame.bytes().size() >= sizeof event);
  std::memcpy(&event, frame.bytes().data(), sizeof event);
  while (frame.more()) MUSTER_CHECK(frame.Receive(events_.get(), 0));
  return event;
}

int LinkMonitor::Fd() const { return events_.GetInt(ZMQ_FD); }

}  // namespace muster::io
