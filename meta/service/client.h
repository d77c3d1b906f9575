// Who asked something that is answered later.
#pragma once

#include <string>

#include "base/ids.h"

namespace muster::meta {

// The answer goes to this user's link, and names the message that asked.
struct Client {
  std::string user;
  std::string link;
  MessageNumber number;
};

}  // namespace muster::meta
