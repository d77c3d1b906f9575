// Derives the state of a dialling socket's connection from libzmq's monitor events.
#pragma once

#include <optional>
#include <string>

#include "base/io/transport.h"
#include "base/io/zmq/socket.h"

namespace muster::io {

// State machine over the events of one connection (ZMQ_EVENT_*).
class LinkTracker {
 public:
  void On(int event);
  LinkState state() const { return state_; }
  // Whether the connection has ended and libzmq has not announced a new attempt since. After a
  // refused key libzmq never announces one.
  bool stopped() const { return stopped_; }

 private:
  LinkState state_ = LinkState::kConnecting;
  bool stopped_ = false;
  int failures_ = 0;  // consecutive failed handshakes
};

// The event stream of one socket. Must be read regularly: libzmq blocks when the stream is full.
class LinkMonitor : public Waitable {
 public:
  // `address` is an inproc name unique within `context`. Destroy the monitor before the socket.
  LinkMonitor(ZmqContext& context, ZmqSocket& watched, const std::string& address);
  ~LinkMonitor() override;
  LinkMonitor(const LinkMonitor&) = delete;
  LinkMonitor& operator=(const LinkMonitor&) = delete;

  // The next event, if any.
  std::optional<int> Next();
  int Fd() const override;
  bool Pending() override { return events_.Readable(); }

 private:
  ZmqSocket& watched_;
  ZmqSocket events_;
};

}  // namespace muster::io
