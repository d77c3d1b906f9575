// A transport's descriptor is edge-triggered: it signals once per change. So Pending() is checked
// before every poll and after every wake-up by the descriptor.
#include "base/io/wait.h"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace muster::io {
namespace {

int64_t MonotonicMilliseconds() {
  timespec now{};
  MUSTER_CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

bool AnyPending(std::span<Waitable* const> transports) {
  return std::any_of(transports.begin(), transports.end(),
                     [](Waitable* t) { return t->Pending(); });
}

}  // namespace

bool WaitReadable(std::span<Waitable* const> transports, std::span<const int> descriptors,
                  BootSpan wait) {
  // Polls for at most an hour at a time, because poll takes an int.
  constexpr int64_t kLongestPoll = 3'600'000;
  const bool endless = wait < BootSpan{};
  const int64_t until = endless ? 0 : MonotonicMilliseconds() + wait.milliseconds;
  std::vector<pollfd> polled;
  polled.reserve(descriptors.size() + transports.size());
  for (int descriptor : descriptors) polled.push_back({descriptor, POLLIN, 0});
  for (const Waitable* transport : transports) polled.push_back({transport->Fd(), POLLIN, 0});

  bool pending = AnyPending(transports);
  while (true) {
    const int64_t left = endless ? kLongestPoll : until - MonotonicMilliseconds();
    const int64_t step = pending ? 0 : std::clamp<int64_t>(left, 0, kLongestPoll);
    const int ready = poll(polled.data(), polled.size(), static_cast<int>(step));
    if (ready < 0) return pending;  // interrupted by a signal
    const auto readable = [](const pollfd& p) { return p.revents != 0; };
    const auto last = polled.begin() + static_cast<std::ptrdiff_t>(descriptors.size());
    if (pending || std::any_of(polled.begin(), last, readable)) return true;
    if (ready > 0 && AnyPending(transports)) return true;
    if (!endless && left <= 0) return false;
  }
}

}  // namespace muster::io
