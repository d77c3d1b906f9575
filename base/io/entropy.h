// The source of secrets and key pairs that must be unpredictable. Cores get them through their
// events.
#pragma once

#include <string>

#include "base/digest.h"

namespace muster::io {

// A CURVE key pair; both keys are Z85 text of 40 characters.
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
