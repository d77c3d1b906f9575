// Waiting ends for what is pending, for readable descriptors, and in time.
#include "base/io/wait.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>

namespace muster::io {
namespace {

constexpr BootSpan kLong = Seconds(60);

class EventFd {
 public:
  EventFd() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~EventFd() { close(fd_); }
  EventFd(const EventFd&) = delete;
  EventFd& operator=(const EventFd&) = delete;
  int get() const { return fd_; }
  void Signal() { EXPECT_EQ(eventfd_write(fd_, 1), 0); }

 private:
  int fd_;
};

// Speaks up like a transport: a readable descriptor is only a hint, and `wakes` asks pass before it
// holds.
class ScriptedTransport : public Waitable {
 public:
  int Fd() const override { return event_.get(); }
  bool Pending() override { return asked_++ >= asks_before_; }
  void PendingFromAsk(int n) { asks_before_ = n; }
  void Hint() { event_.Signal(); }

 private:
  EventFd event_;
  int asked_ = 0;
  int asks_before_ = 1 << 30;
};

bool Wait(ScriptedTransport& transport, int descriptor, BootSpan wait) {
  const std::array<Waitable*, 1> transports = {&transport};
  const std::array<int, 1> descriptors = {descriptor};
  return WaitReadable(transports, descriptors, wait);
}

TEST(WaitReadable, EndsAtOnceForWhatIsAlreadyPendingThoughTheDescriptorIsSilent) {
  ScriptedTransport transport;
  EventFd event;
  transport.PendingFromAsk(0);
  EXPECT_TRUE(Wait(transport, event.get(), kLong));
}

TEST(WaitReadable, EndsForAReadableDescriptor) {
  ScriptedTransport transport;
  EventFd event;
  event.Signal();
  EXPECT_TRUE(Wait(transport, event.get(), kLong));
}

TEST(WaitReadable, AsksAgainAfterAHintThatBroughtNothing) {
  ScriptedTransport transport;
  EventFd event;
  transport.Hint();
  transport.PendingFromAsk(3);
  EXPECT_TRUE(Wait(transport, event.get(), kLong));
}

TEST(WaitReadable, EndsInTimeWhenNothingHappens) {
  ScriptedTransport transport;
  EventFd event;
  EXPECT_FALSE(Wait(transport, event.get(), Milliseconds(1)));
  EXPECT_FALSE(Wait(transport, event.get(), Milliseconds(0)));
}

TEST(WaitReadable, EndsForAHangUp) {
  ScriptedTransport transport;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[1]);
  EXPECT_TRUE(Wait(transport, ends[0], kLong));
  close(ends[0]);
}

}  // namespace
}  // namespace muster::io
