// The ZAP handler of one context (ZeroMQ RFC 27): admits connections whose CURVE key is listed,
// gives them their name as user id, and refuses all others. Without it libzmq would admit any key.
#pragma once

#include <memory>
#include <mutex>
#include <thread>

#include "base/io/zmq/allow_list.h"
#include "base/io/zmq/socket.h"
#include "base/status.h"

namespace muster::io {

// Message properties the handler sets on everything an admitted connection sends.
inline constexpr const char* kUserIdProperty = "User-Id";          // the name
inline constexpr const char* kPublicKeyProperty = "X-Public-Key";  // Z85

class Gatekeeper {
 public:
  // Binds the handler's address in `context` and starts its thread, which ends when the context is
  // shut down. `context` outlives the gatekeeper.
  static absl::StatusOr<std::unique_ptr<Gatekeeper>> Start(ZmqContext& context);
  // REQUIRES that the context was shut down.
  ~Gatekeeper();
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;

  // Connections made from now on are judged by this list. Any thread.
  void Use(std::shared_ptr<const AllowList> list);

 private:
  explicit Gatekeeper(ZmqSocket socket);
  void Serve();
  bool Answer();
  std::shared_ptr<const AllowList> List();

  ZmqSocket socket_;  // of the thread alone once it runs
  std::mutex mutex_;  // guards list_
  std::shared_ptr<const AllowList> list_ = std::make_shared<AllowList>();
  std::thread thread_;
};

// Connects to `endpoint` with a fresh key, which nobody can have listed, and waits until it is
// refused. An error if it is admitted, or if nobody judges it within `wait`.
absl::Status ProbeRefusal(const std::string& endpoint, const std::string& server_key,
                          BootSpan wait);

}  // namespace muster::io
