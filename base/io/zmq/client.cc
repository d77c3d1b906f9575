// libzmq reconnects by itself, except after its key was refused: then it stops for good. The client
// then makes a new socket after a while, since the key may be listed later.
#include "base/io/zmq/client.h"

#include <zmq.h>

#include <array>
#include <chrono>
#include <optional>

#include "base/check.h"
#include "base/io/wait.h"
#include "base/io/zmq/frame.h"
#include "base/io/zmq/keys.h"
#include "base/io/zmq/link_monitor.h"
#include "base/io/zmq/socket.h"
#include "base/random.h"

namespace muster::io {
namespace {

using SteadyClock = std::chrono::steady_clock;

uint64_t JitterSeed() {
  const Secret secret = SystemEntropy()->NewSecret();
  uint64_t seed = 0;
  for (size_t i = 0; i < sizeof seed; ++i) seed = seed << 8 | secret.bytes[i];
  return seed;
}

class CurveClient final : public Client {
 public:
  static absl::StatusOr<std::unique_ptr<Client>> Open(const ClientOptions& options);
  ~CurveClient() override { monitor_.reset(); }

  std::vector<std::string> Receive(size_t limit, BootSpan wait) override;
  bool Send(std::string_view bytes) override;
  LinkState Link() override;
  int Fd() const override { return socket_.GetInt(ZMQ_FD); }
  bool Pending() override {
    Watch();
    return socket_.Readable();
  }

 private:
  explicit CurveClient(const ClientOptions& options) : options_(options), jitter_(JitterSeed()) {}
  absl::Status Dial();
  void Watch();
  void RedialIfDue();

  const ClientOptions options_;
  Random jitter_;
  ZmqContext context_;
  ZmqSocket socket_;
  std::optional<LinkMonitor> monitor_;
  LinkTracker tracker_;
  std::optional<SteadyClock::time_point> redial_at_;
  uint64_t dials_ = 0;
};

absl::StatusOr<std::unique_ptr<Client>> CurveClient::Open(const ClientOptions& options) {
  if (!IsKey(options.keys.public_key) || !IsKey(options.keys.secret_key)) {
    return InvalidArgument("the client's key is not a CURVE key pair");
  }
  if (!IsKey(options.server_key)) return InvalidArgument("the server's key is not a CURVE key");
  std::unique_ptr<CurveClient> client(new CurveClient(options));
  MUSTER_RETURN_IF_ERROR(client->Dial());
  return std::unique_ptr<Client>(std::move(client));
}

absl::Status CurveClient::Dial() {
  monitor_.reset();
  socket_ = ZmqSocket(context_, ZMQ_DEALER);
  SetTransportOptions(socket_, options_.message_bytes);
  SetCurveClient(socket_, options_.server_key, options_.keys);
  // libzmq adds a random time up to this base to each wait. A random base spreads many clients
  // further.
  const int64_t base =
      jitter_.Between(kReconnectLeast.milliseconds, 2 * kReconnectLeast.milliseconds);
  socket_.Set(ZMQ_RECONNECT_IVL, static_cast<int>(base));
  socket_.Set(ZMQ_RECONNECT_IVL_MAX, static_cast<int>(kReconnectMost.milliseconds));
  monitor_.emplace(context_, socket_, "inproc://link-" + std::to_string(++dials_));
  redial_at_.reset();
  if (zmq_connect(socket_.get(), options_.endpoint.c_str()) != 0) {
    return ZmqError("cannot dial " + options_.endpoint);
  }
  return absl::OkStatus();
}

void CurveClient::Watch() {
  while (const std::optional<int> event = monitor_->Next()) tracker_.On(*event);
}

// Not called from Pending, whose caller may be polling the descriptor of the old socket.
void CurveClient::RedialIfDue() {
  Watch();
  if (!tracker_.stopped()) {
    redial_at_.reset();
    return;
  }
  const SteadyClock::time_point now = SteadyClock::now();
  if (!redial_at_) {
    const int64_t most = kReconnectMost.milliseconds;
    redial_at_ = now + std::chrono::milliseconds(jitter_.Between(most / 2, most));
  }
  // The endpoint was valid at the first dial, so it still is.
  if (now >= *redial_at_) MUSTER_CHECK(Dial().ok());
}

std::vector<std::string> CurveClient::Receive(size_t limit, BootSpan wait) {
  RedialIfDue();
  std::vector<std::string> out;
  const std::array<Waitable*, 1> self = {this};
  if (wait > BootSpan{} && !WaitReadable(self, {}, wait)) return out;
  Frame frame;
  for (size_t taken = 0; taken < limit && frame.Receive(socket_.get(), ZMQ_DONTWAIT); ++taken) {
    if (!frame.more()) {
      out.emplace_back(frame.bytes());
      continue;
    }
    // Peers send single-frame messages; discards any further frames.
    while (frame.more()) MUSTER_CHECK(frame.Receive(socket_.get(), ZMQ_DONTWAIT));
  }
  return out;
}

bool CurveClient::Send(std::string_view bytes) {
  RedialIfDue();
  return SendFrame(socket_.get(), bytes, ZMQ_DONTWAIT);
}

LinkState CurveClient::Link() {
  RedialIfDue();
  return tracker_.state();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> OpenClient(const ClientOptions& options) {
  return CurveClient::Open(options);
}

}  // namespace muster::io
