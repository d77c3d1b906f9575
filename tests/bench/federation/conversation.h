// One client connection of a benchmark: numbered messages out, answers in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/io/transport.h"
#include "schemas/client.h"

namespace muster::bench {

// Ends the benchmark: main prints it, and the daemons end with their fleet on the way there.
[[noreturn]] void Fail(const std::string& what);

class Conversation {
 public:
  explicit Conversation(std::unique_ptr<io::Client> client) : client_(std::move(client)) {}

  // Sends without waiting; returns the number its answers will name.
  uint64_t Say(schemas::ClientMessage message);
  // The same under an earlier number, whose message it replaces (a follow that ends).
  void SayAgain(uint64_t number, schemas::ClientMessage message);
  // Returns the messages that have come; waits up to `wait` for the first.
  std::vector<schemas::ToClient> Hear(BootSpan wait);
  // Asks and waits for the answer; fails if none comes within 60 s.
  schemas::ToClient Ask(schemas::ClientMessage message);
  schemas::Rows Get(schemas::Get get);
  io::Client& client() { return *client_; }

 private:
  std::unique_ptr<io::Client> client_;
  uint64_t number_ = 0;
};

// One chunk of one cpu in each of `parts` parts, each on its own site when there are several, not
// before `from`.
schemas::RequestSpec SmallRequest(int parts, Span duration, std::optional<Instant> from);
// Counts up, so that every submission of a run has a key of its own.
schemas::ClientKey NextKey();
Instant WallNow();

}  // namespace muster::bench
