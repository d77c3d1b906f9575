// A spawned child gets no descriptor of a transport: it would keep connections open after the
// daemon's end.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>
#include <string>

#include "base/io/zmq/client.h"
#include "base/io/zmq/keys.h"
#include "base/io/zmq/server.h"

extern char** environ;

namespace muster::io {
namespace {

// The descriptors a freshly spawned program finds open, beyond what this test's own process was
// given.
std::set<std::string> DescriptorsOfAChild() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  std::array<char*, 4> arguments = {const_cast<char*>("sh"), const_cast<char*>("-c"),
                                    const_cast<char*>("readlink /proc/$$/fd/*"), nullptr};
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, "/bin/sh", &actions, nullptr, arguments.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  std::set<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    if (line.starts_with("socket:") || line.starts_with("anon_inode:")) out.insert(line);
    begin = end + 1;
  }
  return out;
}

TEST(SpawnedChild, GetsNoDescriptorOfATransport) {
  const std::set<std::string> before = DescriptorsOfAChild();
  const std::unique_ptr<Entropy> entropy = SystemEntropy();
  const KeyPair server_keys = entropy->NewKeyPair();
  const KeyPair kim = entropy->NewKeyPair();
  const auto server = OpenServer({.endpoint = "tcp://127.0.0.1:*",
                                  .keys = server_keys,
                                  .allowed = {{kim.public_key, "user:kim"}}});
  ASSERT_TRUE(server.ok());
  const auto client = OpenClient(
      {.endpoint = (*server)->Endpoint(), .server_key = server_keys.public_key, .keys = kim});
  ASSERT_TRUE(client.ok());
  // Once a message is there, the accepted connection is too.
  ASSERT_TRUE((*client)->Send("hello"));
  ASSERT_EQ((*server)->Receive(1, Seconds(20)).size(), 1u);
  EXPECT_EQ(DescriptorsOfAChild(), before);
}

}  // namespace
}  // namespace muster::io
