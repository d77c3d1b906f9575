// The ZAP handler of one context (ZeroMQ RFC 27). It admits connections whose CURVE key is listed,
// assigns their name as user id, and refuses all others. Without a handler libzmq admits any key.
#pragma once

#include <memory>
#include <mutex>
#include <thread>

#include "base/io/zmq/allow_list.h"
#include "base/io/zmq/socket.h"
#include "base/status.h"

namespace muster::io {

// Properties that the handler sets on every message of an admitted connection.
inline constexpr const char* kUserIdProperty = "User-Id";          // the peer's name
inline constexpr const char* kPublicKeyProperty = "X-Public-Key";  // Z85

class Gatekeeper {
 public:
  // Binds the handler's address in `context` and starts its thread, which ends when the context is
  // shut down. `context` must outlive the gatekeeper.
  static absl::StatusOr<std::unique_ptr<Gatekeeper>> Start(ZmqContext& context);
  // REQUIRES that the context has been shut down.
  ~Gatekeeper();
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;

  // Applies this list to new connections. Callable from any thread.
  void Use(std::shared_ptr<const AllowList> list);

 private:
  explicit Gatekeeper(ZmqSocket socket);
  void Serve();
  bool Answer();
  std::shared_ptr<const AllowList> List();

  ZmqSocket socket_;  // used only by thread_ once it runs
  std::mutex mutex_;  // guards list_
  std::shared_ptr<const AllowList> list_ = std::make_shared<AllowList>();
  std::thread thread_;
};

// Connects to `endpoint` with a fresh key, which cannot be listed, and waits for its refusal.
// Errors: the key is admitted, or it is neither admitted nor refused within `wait`.
absl::Status ProbeRefusal(const std::string& endpoint, const std::string& server_key,
                          BootSpan wait);

}  // namespace muster::io
