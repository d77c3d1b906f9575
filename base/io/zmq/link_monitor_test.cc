// The state of a link follows from the events that libzmq reports.
#include "base/io/zmq/link_monitor.h"

#include <gtest/gtest.h>
#include <zmq.h>

namespace muster::io {
namespace {

TEST(LinkTracker, TellsAFailedHandshakeOnlyWhenItFailsAgain) {
  LinkTracker link;
  link.On(ZMQ_EVENT_CONNECTED);
  link.On(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
  link.On(ZMQ_EVENT_DISCONNECTED);
  EXPECT_EQ(link.state(), LinkState::kConnecting);
  link.On(ZMQ_EVENT_CONNECT_RETRIED);
  link.On(ZMQ_EVENT_CONNECTED);
  link.On(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
  EXPECT_EQ(link.state(), LinkState::kHandshakeFailed);
  EXPECT_FALSE(link.stopped());
  link.On(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
  EXPECT_EQ(link.state(), LinkState::kConnected);
}

TEST(LinkTracker, TellsARefusedKeyAtOnceAndThatNobodyDialsAnyMore) {
  LinkTracker link;
  link.On(ZMQ_EVENT_CONNECTED);
  link.On(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH);
  link.On(ZMQ_EVENT_DISCONNECTED);
  EXPECT_EQ(link.state(), LinkState::kHandshakeFailed);
  EXPECT_TRUE(link.stopped());
  link.On(ZMQ_EVENT_CONNECT_DELAYED);
  EXPECT_FALSE(link.stopped());
  EXPECT_EQ(link.state(), LinkState::kHandshakeFailed);
}

TEST(LinkTracker, ForgetsFailedHandshakesWhenNobodyAcceptsAnyMore) {
  LinkTracker link;
  link.On(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH);
  link.On(ZMQ_EVENT_CLOSED);
  EXPECT_EQ(link.state(), LinkState::kConnecting);
}

}  // namespace
}  // namespace muster::io
