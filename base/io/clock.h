// The clock interface of a shell. Cores have no clock; they get `Now` once per turn.
#pragma once

#include <string>

#include "base/time.h"

namespace muster::io {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Now Read() = 0;
  // Identifies this boot of the machine. A lease stored under another boot id is armed again by the
  // rule of protocol.md section 6.
  virtual std::string BootId() = 0;
};

}  // namespace muster::io
