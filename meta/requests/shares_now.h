// How the shares stand at one time.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "policy/shares.h"

namespace muster::meta {

// A share as it stands.
struct ShareNow {
  policy::Part part;
  int64_t value = 0;  // factor, in thousandths
  bool under_floor = false;
};
using SharesNow = std::map<std::string, ShareNow>;  // by who

}  // namespace muster::meta
