// What libzmq tells of a dialling socket's connection, and the state that follows from it.
#pragma once

#include <optional>
#include <string>

#include "base/io/transport.h"
#include "base/io/zmq/socket.h"

namespace muster::io {

// The state of a link, event by event (ZMQ_EVENT_*).
class LinkTracker {
 public:
  void On(int event);
  LinkState state() const { return state_; }
  // True once libzmq has stopped dialling: it does after a refused key, and would never try again.
  bool stopped() const { return stopped_; }

 private:
  LinkState state_ = LinkState::kConnecting;
  bool stopped_ = false;
  int failures_ = 0;  // handshakes, in a row
};

// The stream of events of one socket. Must be read now and then: libzmq waits for room once it is
// full.
class LinkMonitor : public Waitable {
 public:
  // `address`: an inproc name unique within `context`. The monitor goes before the socket does.
  LinkMonitor(ZmqContext& context, ZmqSocket& watched, const std::string& address);
  ~LinkMonitor() override;
  LinkMonitor(const LinkMonitor&) = delete;
  LinkMonitor& operator=(const LinkMonitor&) = delete;

  // The next event; none if there is none now.
  std::optional<int> Next();
  int Fd() const override;
  bool Pending() override { return events_.Readable(); }

 private:
  ZmqSocket& watched_;
  ZmqSocket events_;
};

}  // namespace muster::io
