// A meta for tests of the verbs: it binds a real port, hears real keys, and answers what a test
// tells it to.
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
// What is answered to one message, in order; none: silence.
using Answerer = std::function<std::vector<AnswerBody>(const schemas::ClientMessage&)>;

class FakeMeta {
 public:
  // Writes `folder`/config.toml and the user's key, lets the environment point there; it is the
  // site 'lakes' of --via, too. With `listed` false the user's key is not heard.
  FakeMeta(std::string folder, Answerer answer, bool listed = true);
  ~FakeMeta();

  // What came so far.
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
