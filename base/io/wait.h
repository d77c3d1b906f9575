// Waits for messages and file descriptors in one call: where a shell's loop sleeps.
#pragma once

#include <span>

#include "base/io/transport.h"
#include "base/time.h"

namespace muster::io {

// Waits until a transport has a message pending, one of `descriptors` is readable (or hung up), or
// `wait` has passed; returns false only in the last case or after a signal. A negative `wait` means
// no limit. To learn which source is ready, the caller reads each without waiting.
bool WaitReadable(std::span<Waitable* const> transports, std::span<const int> descriptors,
                  BootSpan wait);

}  // namespace muster::io
