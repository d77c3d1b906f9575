// Real sockets on loopback: who is heard, who is not, and what a peer's misbehaviour costs the
// others.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <thread>

#include "base/io/wait.h"
#include "base/io/zmq/client.h"
#include "base/io/zmq/keys.h"
#include "base/io/zmq/server.h"

namespace muster::io {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr BootSpan kStep = Milliseconds(20);
constexpr size_t kMessageBytes = 100000;
constexpr auto kPatience = std::chrono::seconds(20);

// Repeats `step` until it holds; false after kPatience.
bool Eventually(const std::function<bool()>& step) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    if (step()) return true;
  }
  return false;
}

class Transport : public ::testing::Test {
 protected:
  std::unique_ptr<Server> Serve(const std::string& endpoint = "tcp://127.0.0.1:*") {
    absl::StatusOr<std::unique_ptr<Server>> server = OpenServer({.endpoint = endpoint,
                                                                 .keys = server_keys_,
                                                                 .allowed = allowed_,
                                                                 .message_bytes = kMessageBytes});
    EXPECT_TRUE(server.ok()) << server.status().ToString();
    return server.ok() ? *std::move(server) : nullptr;
  }
  std::unique_ptr<Client> Dial(const std::string& endpoint, const KeyPair& keys,
                               const std::string& server_key) {
    absl::StatusOr<std::unique_ptr<Client>> client =
        OpenClient({.endpoint = endpoint, .server_key = server_key, .keys = keys});
    EXPECT_TRUE(client.ok()) << client.status().ToString();
    return client.ok() ? *std::move(client) : nullptr;
  }
  std::unique_ptr<Client> Dial(Server& server, const KeyPair& keys) {
    return Dial(server.Endpoint(), keys, server_keys_.public_key);
  }

  // The next message the server gets; fails the test if none comes.
  static Incoming Next(Server& server) {
    std::vector<Incoming> messages;
    EXPECT_TRUE(Eventually([&] {
      messages = server.Receive(1, kStep);
      return !messages.empty();
    }));
    return messages.empty() ? Incoming{} : messages[0];
  }
  static std::string Next(Client& client) {
    std::vector<std::string> messages;
    EXPECT_TRUE(Eventually([&] {
      messages = client.Receive(1, kStep);
      return !messages.empty();
    }));
    return messages.empty() ? "" : messages[0];
  }
  static bool Becomes(Client& client, LinkState state) {
    return Eventually([&] {
      client.Receive(1, kStep);
      return client.Link() == state;
    });
  }
  // Nothing comes while both sides have had time to exchange something else.
  static bool Silent(Server& server) { return server.Receive(1, Milliseconds(300)).empty(); }

  std::unique_ptr<Entropy> entropy_ = SystemEntropy();
  KeyPair server_keys_ = entropy_->NewKeyPair();
  KeyPair kim_ = entropy_->NewKeyPair();
  KeyPair lakes_ = entropy_->NewKeyPair();
  KeyPair stranger_ = entropy_->NewKeyPair();
  std::vector<AllowedKey> allowed_ = {{kim_.public_key, "user:kim"},
                                      {lakes_.public_key, "site:lakes"}};
};

TEST_F(Transport, CarriesMessagesBothWaysUnderTheNameOfTheKey) {
  const auto server = Serve();
  const auto kim = Dial(*server, kim_);
  const auto lakes = Dial(*server, lakes_);
  ASSERT_TRUE(kim->Send("from kim"));
  const Incoming first = Next(*server);
  EXPECT_EQ(first.peer.name, "user:kim");
  EXPECT_EQ(first.bytes, "from kim");
  ASSERT_TRUE(lakes->Send(std::string("\0binary", 7)));
  const Incoming second = Next(*server);
  EXPECT_EQ(second.peer.name, "site:lakes");
  EXPECT_EQ(second.bytes, std::string("\0binary", 7));
  EXPECT_TRUE(server->Send(second.peer, "to lakes"));
  EXPECT_TRUE(server->Send(first.peer, "to kim"));
  EXPECT_EQ(Next(*kim), "to kim");
  EXPECT_EQ(Next(*lakes), "to lakes");
  EXPECT_EQ(kim->Link(), LinkState::kConnected);
}

TEST_F(Transport, DoesNotHearAKeyThatIsNotListed) {
  const auto server = Serve();
  const auto client = Dial(*server, stranger_);
  client->Send("let me in");
  EXPECT_TRUE(Becomes(*client, LinkState::kHandshakeFailed));
  EXPECT_TRUE(Silent(*server));
}

TEST_F(Transport, DoesNotSpeakToAServerWithAnotherKey) {
  const auto server = Serve();
  const auto client = Dial(server->Endpoint(), kim_, stranger_.public_key);
  client->Send("secret");
  EXPECT_TRUE(Becomes(*client, LinkState::kHandshakeFailed));
  EXPECT_TRUE(Silent(*server));
}

TEST_F(Transport, TellsAnAbsentServerFromOneThatRefusesTheHandshake) {
  // Bound and not listening: nobody else can take the port meanwhile.
  const int bound = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(bound, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(getsockname(bound, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const auto client = Dial(endpoint, kim_, server_keys_.public_key);
  for (int i = 0; i < 20; ++i) {
    client->Receive(1, kStep);
    EXPECT_EQ(client->Link(), LinkState::kConnecting);
  }
  close(bound);
}

TEST_F(Transport, KeepsTwoConnectionsOfOneUserApart) {
  const auto server = Serve();
  const auto one = Dial(*server, kim_);
  const auto two = Dial(*server, kim_);
  ASSERT_TRUE(one->Send("one"));
  const Peer first = Next(*server).peer;
  ASSERT_TRUE(two->Send("two"));
  const Peer second = Next(*server).peer;
  EXPECT_EQ(first.name, second.name);
  EXPECT_NE(first.link, second.link);
  EXPECT_TRUE(server->Send(second, "to two"));
  EXPECT_EQ(Next(*two), "to two");
  EXPECT_TRUE(server->Send(first, "to one"));
  EXPECT_EQ(Next(*one), "to one");
}

TEST_F(Transport, CutsOffOnlyThePeerWhoseMessageIsTooLarge) {
  const auto server = Serve();
  const auto kim = Dial(*server, kim_);
  const auto lakes = Dial(*server, lakes_);
  ASSERT_TRUE(kim->Send("kim is here"));
  const Peer kim_peer = Next(*server).peer;
  ASSERT_TRUE(lakes->Send("lakes is here"));
  const Peer lakes_peer = Next(*server).peer;

  ASSERT_TRUE(kim->Send(std::string(kMessageBytes + 1, 'x')));
  EXPECT_TRUE(Eventually([&] { return !server->Send(kim_peer, "?"); }));
  EXPECT_TRUE(server->Receive(10, BootSpan{}).empty());
  ASSERT_TRUE(lakes->Send(std::string(kMessageBytes - 1000, 'y')));
  EXPECT_THAT(Next(*server).bytes, SizeIs(kMessageBytes - 1000));
  EXPECT_TRUE(server->Send(lakes_peer, "fine"));
  EXPECT_EQ(Next(*lakes), "fine");
}

TEST_F(Transport, HearsAKeyAsSoonAsItIsListed) {
  const auto server = Serve();
  const auto client = Dial(*server, stranger_);
  ASSERT_TRUE(Becomes(*client, LinkState::kHandshakeFailed));
  allowed_.push_back({stranger_.public_key, "user:new"});
  server->Allow(allowed_);
  ASSERT_TRUE(Becomes(*client, LinkState::kConnected));
  ASSERT_TRUE(client->Send("here I am"));
  EXPECT_EQ(Next(*server).peer.name, "user:new");
}

TEST_F(Transport, NeitherHearsNorAnswersAKeyThatIsStruckOffThoughItsConnectionIsOpen) {
  const auto server = Serve();
  const auto kim = Dial(*server, kim_);
  const auto lakes = Dial(*server, lakes_);
  ASSERT_TRUE(kim->Send("before"));
  const Peer peer = Next(*server).peer;
  server->Allow({{lakes_.public_key, "site:lakes"}});
  ASSERT_TRUE(kim->Send("after"));
  EXPECT_FALSE(server->Send(peer, "secret"));
  ASSERT_TRUE(lakes->Send("still here"));
  EXPECT_EQ(Next(*server).bytes, "still here");
  EXPECT_TRUE(Silent(*server));
}

TEST_F(Transport, DoesNotAnswerTheOldKeyOfANameThatGotANewOne) {
  const auto server = Serve();
  const auto kim = Dial(*server, kim_);
  ASSERT_TRUE(kim->Send("with the old key"));
  const Peer old = Next(*server).peer;
  server->Allow({{stranger_.public_key, "user:kim"}});
  EXPECT_FALSE(server->Send(old, "secret"));
  const auto renewed = Dial(*server, stranger_);
  ASSERT_TRUE(renewed->Send("with the new key"));
  const Incoming message = Next(*server);
  EXPECT_EQ(message.peer.name, "user:kim");
  EXPECT_TRUE(server->Send(message.peer, "welcome"));
  EXPECT_EQ(Next(*renewed), "welcome");
}

TEST_F(Transport, KeepsConnectionsOfKeysThatStayListed) {
  const auto server = Serve();
  const auto kim = Dial(*server, kim_);
  ASSERT_TRUE(kim->Send("before"));
  const Peer peer = Next(*server).peer;
  server->Allow({{stranger_.public_key, "user:new"}, {kim_.public_key, "user:kim"}});
  EXPECT_TRUE(server->Send(peer, "after"));
  EXPECT_EQ(Next(*kim), "after");
}

TEST_F(Transport, ReconnectsToARestartedServer) {
  auto server = Serve();
  const std::string endpoint = server->Endpoint();
  const auto kim = Dial(*server, kim_);
  ASSERT_TRUE(kim->Send("first life"));
  const Peer peer = Next(*server).peer;
  server.reset();
  ASSERT_TRUE(Becomes(*kim, LinkState::kConnecting));
  server = Serve(endpoint);
  ASSERT_NE(server, nullptr);
  EXPECT_FALSE(server->Send(peer, "whom?"));
  ASSERT_TRUE(Becomes(*kim, LinkState::kConnected));
  ASSERT_TRUE(kim->Send("second life"));
  EXPECT_EQ(Next(*server).bytes, "second life");
}

TEST_F(Transport, DeliversWhatWasSentJustBeforeTheServerStops) {
  auto server = Serve();
  const auto kim = Dial(*server, kim_);
  ASSERT_TRUE(kim->Send("bye?"));
  ASSERT_TRUE(server->Send(Next(*server).peer, "bye"));
  server.reset();
  EXPECT_EQ(Next(*kim), "bye");
}

TEST_F(Transport, DropsWhatIsSentToAConnectionThatIsGone) {
  const auto server = Serve();
  auto kim = Dial(*server, kim_);
  ASSERT_TRUE(kim->Send("hello"));
  const Peer peer = Next(*server).peer;
  kim.reset();
  EXPECT_TRUE(Eventually([&] { return !server->Send(peer, "hello?"); }));
  EXPECT_FALSE(server->Send({.name = "user:kim", .link = ""}, "x"));
  EXPECT_FALSE(server->Send({.name = "user:kim", .link = std::string(9, 'x')}, "x"));
}

TEST_F(Transport, RefusesToQueueWithoutBound) {
  const auto server = Serve();
  const auto kim = Dial(*server, kim_);
  ASSERT_TRUE(kim->Send("I read nothing"));
  const Peer peer = Next(*server).peer;
  const std::string large(kMessageBytes, 'x');
  size_t sent = 0;
  while (sent < 10000 && server->Send(peer, large)) ++sent;
  EXPECT_GT(sent, 100u);
  EXPECT_LT(sent, 10000u);
}

TEST_F(Transport, WaitsForMessagesAndDescriptorsInOneCall) {
  const auto server = Serve();
  const auto kim = Dial(*server, kim_);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const std::array<Waitable*, 1> transports = {server.get()};
  const std::array<int, 1> descriptors = {ends[0]};
  EXPECT_FALSE(WaitReadable(transports, descriptors, Milliseconds(1)));

  ASSERT_TRUE(kim->Send("one"));
  ASSERT_TRUE(kim->Send("two"));
  ASSERT_TRUE(Eventually([&] { return WaitReadable(transports, descriptors, kStep); }));
  EXPECT_TRUE(server->Pending());
  EXPECT_EQ(server->Receive(1, BootSpan{}).at(0).bytes, "one");
  // The second raised no new edge, and is seen all the same.
  ASSERT_TRUE(Eventually([&] { return WaitReadable(transports, descriptors, kStep); }));
  EXPECT_EQ(server->Receive(1, BootSpan{}).at(0).bytes, "two");
  EXPECT_FALSE(server->Pending());

  ASSERT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_TRUE(WaitReadable(transports, descriptors, Seconds(60)));
  EXPECT_FALSE(server->Pending());
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Transport, CarriesManyMessagesOfManyClientsInOrderAndWhole) {
  constexpr int kClients = 4;
  constexpr int kEach = 5000;
  constexpr int kOutstanding = 64;
  const auto server = Serve();
  const std::string endpoint = server->Endpoint();
  std::vector<std::thread> threads;
  std::array<int, kClients> echoed{};
  for (int c = 0; c < kClients; ++c) {
    threads.emplace_back([&, c] {
      const auto client = Dial(endpoint, kim_, server_keys_.public_key);
      int sent = 0;
      int& got = echoed[static_cast<size_t>(c)];
      Eventually([&] {
        while (sent < kEach && sent - got < kOutstanding) client->Send(std::to_string(sent++));
        for (const std::string& reply : client->Receive(256, kStep)) {
          if (reply == std::to_string(got)) ++got;
        }
        return got == kEach;
      });
    });
  }
  int heard = 0;
  const auto begin = std::chrono::steady_clock::now();
  Eventually([&] {
    for (const Incoming& message : server->Receive(256, kStep)) {
      ++heard;
      EXPECT_TRUE(server->Send(message.peer, message.bytes));
    }
    return heard == kClients * kEach;
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(heard, kClients * kEach);
  for (int got : echoed) EXPECT_EQ(got, kEach);
  RecordProperty("round_trips_per_second", std::to_string(static_cast<int>(heard / took.count())));
}

TEST_F(Transport, TellsWhyItCannotListen) {
  const auto server = Serve();
  const auto taken = OpenServer({.endpoint = server->Endpoint(), .keys = server_keys_}).status();
  EXPECT_THAT(std::string(Text(taken)), HasSubstr("cannot listen at tcp://127.0.0.1:"));
  EXPECT_THAT(std::string(Text(taken)), HasSubstr("Address already in use"));
  EXPECT_FALSE(OpenServer({.endpoint = "nonsense", .keys = server_keys_}).ok());
  EXPECT_FALSE(OpenServer({.endpoint = "tcp://127.0.0.1:*", .keys = {}}).ok());
  EXPECT_FALSE(OpenServer({.endpoint = "tcp://127.0.0.1:*",
                           .keys = server_keys_,
                           .allowed = {{"not a key", "user:kim"}}})
                   .ok());
  EXPECT_FALSE(
      OpenClient({.endpoint = "nonsense", .server_key = server_keys_.public_key, .keys = kim_})
          .ok());
}

}  // namespace
}  // namespace muster::io
