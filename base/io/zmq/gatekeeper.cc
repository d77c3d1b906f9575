// Handles one request at a time on a REP socket: handshakes are rare and cheap to decide.
#include "base/io/zmq/gatekeeper.h"

#include <signal.h>
#include <zmq.h>

#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/io/wait.h"
#include "base/io/zmq/frame.h"
#include "base/io/zmq/keys.h"
#include "base/io/zmq/link_monitor.h"

namespace muster::io {
namespace {

constexpr const char* kZapAddress = "inproc://zeromq.zap.01";
constexpr size_t kCurveKeyBytes = 32;
constexpr BootSpan kProbeStep = Milliseconds(100);

// The fields of a request of RFC 27 that are used here.
struct ZapRequest {
  std::string request_id;
  std::string mechanism;
  std::string credentials;
};

// Receives all frames of the next message; none once the context is shut down.
std::optional<std::vector<std::string>> ReceiveFrames(void* socket) {
  std::vector<std::string> frames;
  Frame frame;
  do {
    if (!frame.Receive(socket, 0)) return std::nullopt;
    frames.emplace_back(frame.bytes());
  } while (frame.more());
  return frames;
}

std::optional<ZapRequest> ParseRequest(const std::vector<std::string>& frames) {
  constexpr size_t kFrames = 7;  // version, id, domain, address, routing id, mechanism, credentials
  if (frames.size() != kFrames || frames[0] != "1.0") return std::nullopt;
  return ZapRequest{.request_id = frames[1], .mechanism = frames[5], .credentials = frames[6]};
}

// Encodes a property in ZMTP's form: name length, name, value length in network order, value.
std::string Property(std::string_view name, std::string_view value) {
  std::string out(1, static_cast<char>(name.size()));
  out += name;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>((value.size() >> shift) & 0xFF);
  out += value;
  return out;
}

// Blocks all signals during its lifetime, so that a thread created meanwhile leaves them to the
// main thread.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    MUSTER_CHECK(pthread_sigmask(SIG_SETMASK, &all, &before_) == 0);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

absl::StatusOr<std::unique_ptr<Gatekeeper>> Gatekeeper::Start(ZmqContext& context) {
  ZmqSocket socket(context, ZMQ_REP);
  socket.Set(ZMQ_LINGER, 0);
  if (zmq_bind(socket.get(), kZapAddress) != 0) return ZmqError("the ZAP handler cannot start");
  return std::unique_ptr<Gatekeeper>(new Gatekeeper(std::move(socket)));
}

Gatekeeper::Gatekeeper(ZmqSocket socket) : socket_(std::move(socket)) {
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { Serve(); });
}

Gatekeeper::~Gatekeeper() { thread_.join(); }

void Gatekeeper::Use(std::shared_ptr<const AllowList> list) {
  const std::lock_guard<std::mutex> lock(mutex_);
  list_ = std::move(list);
}

std::shared_ptr<const AllowList> Gatekeeper::List() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return list_;
}

void Gatekeeper::Serve() {
  while (Answer()) {
  }
  socket_.Close();
}

bool Gatekeeper::Answer() {
  const std::optional<std::vector<std::string>> frames = ReceiveFrames(socket_.get());
  if (!frames) return false;
  const std::optional<ZapRequest> request = ParseRequest(*frames);
  std::string key;
  if (request && request->mechanism == "CURVE" && request->credentials.size() == kCurveKeyBytes) {
    std::array<char, 41> text{};
    const auto* bytes = reinterpret_cast<const uint8_t*>(request->credentials.data());
    if (zmq_z85_encode(text.data(), bytes, kCurveKeyBytes) != nullptr) key = text.data();
  }
  const std::shared_ptr<const AllowList> list = List();
  const HeardKey* heard = key.empty() ? nullptr : list->Find(key);
  const std::array<std::string, 6> reply = {
      "1.0",
      request ? request->request_id : "",
      heard != nullptr ? "200" : "400",
      heard != nullptr ? "OK" : "not listed",
      heard != nullptr ? heard->name : "",
      heard != nullptr ? Property(kPublicKeyProperty, key) : ""};
  for (size_t i = 0; i < reply.size(); ++i) {
    const int more = i + 1 < reply.size() ? ZMQ_SNDMORE : 0;
    if (!SendFrame(socket_.get(), reply[i], more)) return false;
  }
  return true;
}

absl::Status ProbeRefusal(const std::string& endpoint, const std::string& server_key,
                          BootSpan wait) {
  ZmqContext context;
  ZmqSocket socket(context, ZMQ_DEALER);
  socket.Set(ZMQ_LINGER, 0);
  SetCurveClient(socket, server_key, SystemEntropy()->NewKeyPair());
  LinkMonitor monitor(context, socket, "inproc://probe");
  if (zmq_connect(socket.get(), endpoint.c_str()) != 0) return ZmqError("cannot test " + endpoint);
  const std::array<Waitable*, 1> events = {&monitor};
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(wait.milliseconds);
  while (std::chrono::steady_clock::now() < until) {
    WaitReadable(events, {}, kProbeStep);
    while (const std::optional<int> event = monitor.Next()) {
      if (*event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) return absl::OkStatus();
      if (*event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
        return Internal(endpoint + " admits keys that are not listed");
      }
    }
  }
  return Internal("nobody judges the keys of connections to " + endpoint);
}

}  // namespace muster::io
