// Reads a part's token "EPOCH.NUMBER.INDEX.TRY" (schemas/hold.h, PartRecord).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "base/check.h"
#include "base/ids.h"

namespace muster::sim {

struct Token {
  Fence fence;
  uint32_t part = 0;
  uint32_t tries = 0;
};

inline Token ReadToken(const std::string& text) {
  unsigned long long epoch = 0;
  unsigned long long number = 0;
  Token out;
  const int fields =
      std::sscanf(text.c_str(), "%llu.%llu.%u.%u", &epoch, &number, &out.part, &out.tries);
  MUSTER_CHECK(fields == 4);
  out.fence = {{epoch}, number};
  return out;
}

}  // namespace muster::sim
