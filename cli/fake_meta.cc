// One thread owns the server; received messages are copied out under a lock.
#include "cli/fake_meta.h"

#include <cstdlib>
#include <fstream>
#include <utility>

#include "base/check.h"
#include "base/io/zmq/keys.h"
#include "base/io/zmq/server.h"
#include "schemas/codec/codec.h"

namespace muster::cli {

FakeMeta::FakeMeta(std::string folder, Answerer answer, bool listed)
    : folder_(std::move(folder)), answer_(std::move(answer)) {
  const auto entropy = io::SystemEntropy();
  const io::KeyPair meta = entropy->NewKeyPair();
  const io::KeyPair user = entropy->NewKeyPair();
  io::ServerOptions options{.endpoint = "tcp://127.0.0.1:*", .keys = meta, .allowed = {}};
  options.allowed.push_back(
      {listed ? user.public_key : entropy->NewKeyPair().public_key, "user:kim"});
  auto server = io::OpenServer(options);
  MUSTER_CHECK(server.ok());
  server_ = *std::move(server);
  MUSTER_CHECK(io::WriteKeyFile(folder_ + "/kim.key", user).ok());
  std::ofstream config(folder_ + "/config.toml");
  config << "default = \"campus\"\n[federation.campus]\nmeta     = \"" << server_->Endpoint()
         << "\"\nmeta_key = \"" << meta.public_key
         << "\"\nkey      = \"kim.key\"\n[federation.campus.site.lakes]\naddress = \""
         << server_->Endpoint() << "\"\nkey     = \"" << meta.public_key << "\"\n";
  config.close();
  setenv("MUSTER_CONFIG", (folder_ + "/config.toml").c_str(), 1);
  thread_ = std::thread([this] { Serve(); });
}

FakeMeta::~FakeMeta() {
  stop_ = true;
  thread_.join();
  unsetenv("MUSTER_CONFIG");
}

std::vector<schemas::ClientMessage> FakeMeta::Heard() {
  const std::lock_guard<std::mutex> guard(mutex_);
  return heard_;
}

void FakeMeta::Serve() {
  while (!stop_) {
    for (const io::Incoming& incoming : server_->Receive(100, Milliseconds(20))) {
      auto message = schemas::DecodeClientMessage(incoming.bytes);
      MUSTER_CHECK(message.ok());
      {
        const std::lock_guard<std::mutex> guard(mutex_);
        heard_.push_back(*message);
      }
      for (const AnswerBody& body : answer_(*message)) {
        schemas::ToClient answer;
        answer.federation = "campus";
        answer.answers = message->number;
        std::visit([&](const auto& b) { answer.body = b; }, body);
        server_->Send(incoming.peer, schemas::Encode(answer));
      }
    }
  }
}

}  // namespace muster::cli
