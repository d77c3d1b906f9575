// Which keys are heard, and the name each gives. A value: the ZAP handler reads an unchanging copy
// while the server's thread makes the next one.
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

// One listed key. `number` is never given to another pair of key and name, so it tells whether what
// was allowed once still is.
struct HeardKey {
  std::string name;
  uint32_t number = 0;
};

class AllowList {
 public:
  AllowList() = default;
  // The list that replaces `before`; a pair of key and name in both keeps its number.
  AllowList(const std::vector<AllowedKey>& keys, const AllowList& before);

  // Null if the key is not listed.
  const HeardKey* Find(std::string_view public_key) const;
  bool IsHeard(uint32_t number) const { return numbers_.count(number) > 0; }

 private:
  std::map<std::string, HeardKey, std::less<>> keys_;
  std::set<uint32_t> numbers_;
  uint32_t last_number_ = 0;
};

}  // namespace muster::io
