// What every driver that runs real programs refuses before it writes anything.
#pragma once

#include <optional>
#include <string>

#include "site/driver/driver.h"

namespace muster::driver {

// Whether the text may name a file here: 1 to 200 bytes, no '/', no leading '.', nothing
// unprintable.
bool IsFileName(const std::string& text);

// Why the payload can never start (null bytes, a bad variable name, nothing to run); empty if
// nothing is wrong.
std::string WhatIsWrongWith(const StartPart& part);

// The number of a signal that a notice may name ("USR1", "SIGUSR1"); none for other names.
std::optional<int> SignalNumber(const std::string& name);

}  // namespace muster::driver
