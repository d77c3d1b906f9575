// The workload model of Lublin and Feitelson with its published parameters: sizes, run times and
// arrivals of rigid jobs on one parallel machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/replay/swf.h"

namespace muster::sim {

// Which jobs its parameters were fitted to.
enum class LublinKind : uint8_t { kAll, kBatch, kInteractive };
std::optional<LublinKind> ParseLublinKind(std::string_view text);

struct Lublin {
  LublinKind kind = LublinKind::kAll;
  size_t jobs = 10000;
  int64_t processors = 256;  // of the machine, at least 2: the largest job asks for as many
  uint32_t homes = 1;        // so many such machines, each with arrivals of its own; partition
                             // (h + 1) x 100 tells them apart
};

// The first `jobs` submissions, in order. Requests are exact. REQUIRES: processors >= 2, homes
// >= 1.
SwfTrace LublinTrace(const Lublin& model, uint64_t seed);

}  // namespace muster::sim
