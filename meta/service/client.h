// A client whose answer is sent later.
#pragma once

#include <string>

#include "base/ids.h"

namespace muster::meta {

// The answer goes to this user's link and refers to the message with this number.
struct Client {
  std::string user;
  std::string link;
  MessageNumber number;
};

}  // namespace muster::meta
