// Secrets, ids and key pairs that nobody may guess. Cores get what they need through their events.
#pragma once

#include <string>

#include "base/digest.h"

namespace muster::io {

// A CURVE key pair, both halves Z85 text of 40 characters.
struct KeyPair {
  std::string public_key;
  std::string secret_key;
};

class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual Secret NewSecret() = 0;
  virtual KeyPair NewKeyPair() = 0;
};

}  // namespace muster::io
