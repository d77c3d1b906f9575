// The accepted keys with the peer name of each. A value type: the ZAP handler reads an immutable
// copy while the server's thread builds the next list.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/transport.h"

namespace muster::io {

// A listed key. `number` is never reused for another pair of key and name, so it tells whether an
// admitted pair is still listed.
struct HeardKey {
  std::string name;
  uint32_t number = 0;
};

class AllowList {
 public:
  AllowList() = default;
  // Builds the list that replaces `before`. A pair of key and name in both keeps its number.
  AllowList(const std::vector<AllowedKey>& keys, const AllowList& before);

  // Returns null if the key is not listed.
  const HeardKey* Find(std::string_view public_key) const;
  bool IsHeard(uint32_t number) const { return numbers_.count(number) > 0; }

 private:
  std::map<std::string, HeardKey, std::less<>> keys_;
  std::set<uint32_t> numbers_;
  uint32_t last_number_ = 0;
};

}  // namespace muster::io
