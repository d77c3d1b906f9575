// A server that would admit anybody is found out before it serves.
#include "base/io/zmq/gatekeeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zmq.h>

#include "base/io/zmq/keys.h"

namespace muster::io {
namespace {

using ::testing::HasSubstr;

class SelfTest : public ::testing::Test {
 protected:
  // A CURVE server beside which a test may put a bad ZAP handler, or none.
  std::string Listen(ZmqContext& context, ZmqSocket& socket) {
    socket = ZmqSocket(context, ZMQ_ROUTER);
    socket.Set(ZMQ_LINGER, 0);
    socket.Set(ZMQ_CURVE_SERVER, 1);
    socket.Set(ZMQ_CURVE_SECRETKEY, server_keys_.secret_key);
    EXPECT_EQ(zmq_bind(socket.get(), "tcp://127.0.0.1:*"), 0);
    return socket.GetText(ZMQ_LAST_ENDPOINT);
  }

  KeyPair server_keys_ = SystemEntropy()->NewKeyPair();
};

TEST_F(SelfTest, FailsWhereNoHandlerJudgesTheKeys) {
  ZmqContext context;
  ZmqSocket socket;
  const std::string endpoint = Listen(context, socket);
  const absl::Status status = ProbeRefusal(endpoint, server_keys_.public_key, Seconds(5));
  EXPECT_THAT(std::string(Text(status)), HasSubstr("admits keys that are not listed"));
}

TEST_F(SelfTest, FailsWhereTheHandlerDoesNotAnswer) {
  ZmqContext context;
  ZmqSocket mute(context, ZMQ_REP);
  mute.Set(ZMQ_LINGER, 0);
  ASSERT_EQ(zmq_bind(mute.get(), "inproc://zeromq.zap.01"), 0);
  ZmqSocket socket;
  const std::string endpoint = Listen(context, socket);
  const absl::Status status = ProbeRefusal(endpoint, server_keys_.public_key, Milliseconds(300));
  EXPECT_THAT(std::string(Text(status)), HasSubstr("nobody judges the keys"));
}

TEST(AllowList, GivesAPairOfKeyAndNameOneNumberAndNoOtherPairThatNumber) {
  const AllowList first({{"K1", "user:kim"}, {"K2", "site:lakes"}}, AllowList());
  const uint32_t kim = first.Find("K1")->number;
  const uint32_t lakes = first.Find("K2")->number;
  EXPECT_NE(kim, lakes);
  const AllowList second({{"K1", "user:ana"}, {"K2", "site:lakes"}, {"K3", "user:kim"}}, first);
  EXPECT_EQ(second.Find("K2")->number, lakes);
  EXPECT_TRUE(second.IsHeard(lakes));
  EXPECT_FALSE(second.IsHeard(kim));
  EXPECT_NE(second.Find("K3")->number, kim);
  EXPECT_EQ(second.Find("K4"), nullptr);
  const AllowList third({}, second);
  const AllowList fourth({{"K1", "user:kim"}}, third);
  EXPECT_FALSE(fourth.IsHeard(kim));
}

}  // namespace
}  // namespace muster::io
