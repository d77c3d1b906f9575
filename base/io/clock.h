// The clock of a shell. Cores never hold one: they are told `Now` once per turn.
#pragma once

#include <string>

#include "base/time.h"

namespace muster::io {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Now Read() = 0;
  // Identifies this boot of the machine: leases stored under another id are re-armed by protocol.md
  // section 6.
  virtual std::string BootId() = 0;
};

}  // namespace muster::io
