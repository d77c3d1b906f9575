// RAII owner of one libzmq message, and calls on it that retry after a signal. Only for the sources
// of this folder.
#pragma once

#include <errno.h>
#include <zmq.h>

#include <string_view>

namespace muster::io {

class Frame {
 public:
  Frame() { zmq_msg_init(&message_); }
  ~Frame() { zmq_msg_close(&message_); }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  // Replaces the contents by the next frame; `flags` as for zmq_msg_recv. Returns false if no frame
  // is available (with ZMQ_DONTWAIT) or the context is shut down.
  bool Receive(void* socket, int flags) {
    int size = 0;
    do {
      size = zmq_msg_recv(&message_, socket, flags);
    } while (size < 0 && errno == EINTR);
    return size >= 0;
  }
  // Whether the message has a further frame.
  bool more() const { return zmq_msg_more(&message_) != 0; }
  std::string_view bytes() {
    return {static_cast<const char*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)};
  }
  // A property of the connection that delivered the frame; empty if it is not set.
  std::string_view Property(const char* name) {
    const char* value = zmq_msg_gets(&message_, name);
    return value == nullptr ? "" : value;
  }

 private:
  zmq_msg_t message_{};
};

// Returns false if libzmq does not accept the frame.
inline bool SendFrame(void* socket, std::string_view bytes, int flags) {
  int size = 0;
  do {
    size = zmq_send(socket, bytes.data(), bytes.size(), flags);
  } while (size < 0 && errno == EINTR);
  return size >= 0;
}

}  // namespace muster::io
