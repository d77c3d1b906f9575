// Waiting for messages and file descriptors in one call: what a shell's loop sleeps in.
#pragma once

#include <span>

#include "base/io/transport.h"
#include "base/time.h"

namespace muster::io {

// Waits until a transport has something pending, one of `descriptors` is readable (or hung up), or
// `wait` is over; true if not the latter. A negative `wait` lasts for ever. Which one it was the
// caller finds out by reading without waiting. A signal handled meanwhile ends the wait early, as
// false.
bool WaitReadable(std::span<Waitable* const> transports, std::span<const int> descriptors,
                  BootSpan wait);

}  // namespace muster::io
