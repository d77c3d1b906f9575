// A fake meta for tests of the verbs: binds a real port, authenticates real keys, and gives the
// answers that the test supplies.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/io/transport.h"
#include "schemas/client.h"

namespace muster::cli {

using AnswerBody = std::variant<schemas::Accepted, schemas::Refused, schemas::Rows>;
// The answers to one message, in order; empty: none.
using Answerer = std::function<std::vector<AnswerBody>(const schemas::ClientMessage&)>;

class FakeMeta {
 public:
  // Writes `folder`/config.toml and the user's key, and sets the environment to use them. The
  // fake meta also acts as the site 'lakes' for --via. With `listed` false, the user's key is
  // rejected.
  FakeMeta(std::string folder, Answerer answer, bool listed = true);
  ~FakeMeta();

  // The messages received so far.
  std::vector<schemas::ClientMessage> Heard();

 private:
  void Serve();
  std::string folder_;
  Answerer answer_;
  std::unique_ptr<io::Server> server_;
  std::mutex mutex_;  // guards heard_
  std::vector<schemas::ClientMessage> heard_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace muster::cli
