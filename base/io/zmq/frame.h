// One message buffer of libzmq and the calls on it, repeated when a signal interrupts them. Only
// for the sources of this folder.
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

  // Replaces the contents by the next frame; `flags` as of zmq_msg_recv. False if nothing is there
  // (with ZMQ_DONTWAIT), or the context is shut down.
  bool Receive(void* socket, int flags) {
    int size = 0;
    do {
      size = zmq_msg_recv(&message_, socket, flags);
    } while (size < 0 && errno == EINTR);
    return size >= 0;
  }
  // True if the message goes on with another frame.
  bool more() const { return zmq_msg_more(&message_) != 0; }
  std::string_view bytes() {
    return {static_cast<const char*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)};
  }
  // Of the connection it came by; empty if there is no such property.
  std::string_view Property(const char* name) {
    const char* value = zmq_msg_gets(&message_, name);
    return value == nullptr ? "" : value;
  }

 private:
  zmq_msg_t message_{};
};

// False if libzmq does not take it.
inline bool SendFrame(void* socket, std::string_view bytes, int flags) {
  int size = 0;
  do {
    size = zmq_send(socket, bytes.data(), bytes.size(), flags);
  } while (size < 0 && errno == EINTR);
  return size >= 0;
}

}  // namespace muster::io
