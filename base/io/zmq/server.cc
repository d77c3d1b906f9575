// A peer's link consists of its routing id, which this socket assigns and never reuses, and the
// number of the key it was admitted with. From the link alone, without asking libzmq, Send can tell
// that the key is no longer listed.
#include "base/io/zmq/server.h"

#include <zmq.h>

#include <array>
#include <cstring>
#include <optional>

#include "base/check.h"
#include "base/io/wait.h"
#include "base/io/zmq/allow_list.h"
#include "base/io/zmq/frame.h"
#include "base/io/zmq/gatekeeper.h"
#include "base/io/zmq/keys.h"
#include "base/io/zmq/socket.h"

namespace muster::io {
namespace {

constexpr BootSpan kSelfTestWait = Seconds(5);
// Routing ids assigned by libzmq: a zero byte, with which no id chosen by a peer may begin,
// and four bytes of a counter.
constexpr size_t kRoutingIdBytes = 5;
constexpr size_t kLinkBytes = kRoutingIdBytes + sizeof(uint32_t);

class CurveServer final : public Server {
 public:
  static absl::StatusOr<std::unique_ptr<Server>> Open(const ServerOptions& options);
  ~CurveServer() override {
    socket_.Close();
    context_.Shutdown();
  }

  std::vector<Incoming> Receive(size_t limit, BootSpan wait) override;
  bool Send(const Peer& peer, std::string_view bytes) override;
  void Allow(const std::vector<AllowedKey>& keys) override;
  std::string Endpoint() const override { return socket_.GetText(ZMQ_LAST_ENDPOINT); }
  int Fd() const override { return socket_.GetInt(ZMQ_FD); }
  bool Pending() override { return socket_.Readable(); }

 private:
  CurveServer() = default;
  std::optional<Incoming> Identify(std::string_view routing_id, Frame& payload) const;

  ZmqContext context_;
  std::unique_ptr<Gatekeeper> gatekeeper_;
  ZmqSocket socket_;
  std::shared_ptr<const AllowList> allowed_ = std::make_shared<AllowList>();
};

absl::Status CheckKeys(const ServerOptions& options) {
  if (!IsKey(options.keys.public_key) || !IsKey(options.keys.secret_key)) {
    return InvalidArgument("the server's key is not a CURVE key pair");
  }
  for (const AllowedKey& key : options.allowed) {
    if (!IsKey(key.public_key))
      return InvalidArgument("the key of " + key.name + " is not a CURVE key");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Server>> CurveServer::Open(const ServerOptions& options) {
  MUSTER_RETURN_IF_ERROR(CheckKeys(options));
  std::unique_ptr<CurveServer> server(new CurveServer());
  MUSTER_ASSIGN_OR_RETURN(server->gatekeeper_, Gatekeeper::Start(server->context_));
  server->Allow(options.allowed);
  ZmqSocket& socket = server->socket_ = ZmqSocket(server->context_, ZMQ_ROUTER);
  SetTransportOptions(socket, options.message_bytes);
  socket.Set(ZMQ_ROUTER_MANDATORY, 1);
  // Refuses a second connection with a routing id in use, instead of redirecting the first one's
  // messages to it.
  socket.Set(ZMQ_ROUTER_HANDOVER, 0);
  socket.Set(ZMQ_CURVE_SERVER, 1);
  socket.Set(ZMQ_CURVE_SECRETKEY, options.keys.secret_key);
  socket.Set(ZMQ_ZAP_DOMAIN, std::string("muster"));
  if (zmq_bind(socket.get(), options.endpoint.c_str()) != 0) {
    return ZmqError("cannot listen at " + options.endpoint);
  }
  MUSTER_RETURN_IF_ERROR(ProbeRefusal(server->Endpoint(), options.keys.public_key, kSelfTestWait));
  return std::unique_ptr<Server>(std::move(server));
}

std::vector<Incoming> CurveServer::Receive(size_t limit, BootSpan wait) {
  std::vector<Incoming> out;
  const std::array<Waitable*, 1> self = {this};
  if (wait > BootSpan{} && !WaitReadable(self, {}, wait)) return out;
  Frame routing_id;
  Frame payload;
  // Dropped messages count towards the limit, so that nonsense cannot prolong a turn.
  for (size_t taken = 0; taken < limit && routing_id.Receive(socket_.get(), ZMQ_DONTWAIT);
       ++taken) {
    size_t frames = 0;
    for (bool more = routing_id.more(); more; more = payload.more()) {
      MUSTER_CHECK(payload.Receive(socket_.get(), ZMQ_DONTWAIT));  // messages arrive complete
      ++frames;
    }
    if (frames != 1) continue;
    if (std::optional<Incoming> message = Identify(routing_id.bytes(), payload)) {
      out.push_back(std::move(*message));
    }
  }
  return out;
}

// None if the key is no longer listed, or listed under another name, or if the peer chose its
// routing id.
std::optional<Incoming> CurveServer::Identify(std::string_view routing_id, Frame& payload) const {
  if (routing_id.size() != kRoutingIdBytes || routing_id.front() != '\0') return std::nullopt;
  const HeardKey* heard = allowed_->Find(payload.Property(kPublicKeyProperty));
  if (heard == nullptr || heard->name != payload.Property(kUserIdProperty)) return std::nullopt;
  Incoming message;
  message.peer.name = heard->name;
  message.peer.link = routing_id;
  message.peer.link.append(reinterpret_cast<const char*>(&heard->number), sizeof heard->number);
  message.bytes = payload.bytes();
  return message;
}

bool CurveServer::Send(const Peer& peer, std::string_view bytes) {
  if (peer.link.size() != kLinkBytes) return false;
  uint32_t number = 0;
  std::memcpy(&number, peer.link.data() + kRoutingIdBytes, sizeof number);
  if (!allowed_->IsHeard(number)) return false;
  const std::string_view routing_id = std::string_view(peer.link).substr(0, kRoutingIdBytes);
  return SendFrame(socket_.get(), routing_id, ZMQ_SNDMORE | ZMQ_DONTWAIT) &&
         SendFrame(socket_.get(), bytes, ZMQ_DONTWAIT);
}

void CurveServer::Allow(const std::vector<AllowedKey>& keys) {
  allowed_ = std::make_shared<AllowList>(keys, *allowed_);
  gatekeeper_->Use(allowed_);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> OpenServer(const ServerOptions& options) {
  return CurveServer::Open(options);
}

}  // namespace muster::io
