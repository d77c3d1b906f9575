// The workload model of Lublin and Feitelson with its published parameters: sizes, run times and
// arrivals of rigid jobs on one parallel machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/replay/swf.h"

namespace muster::sim {

// The jobs that the parameters were fitted to.
enum class LublinKind : uint8_t { kAll, kBatch, kInteractive };
std::optional<LublinKind> ParseLublinKind(std::string_view text);

struct Lublin {
  LublinKind kind = LublinKind::kAll;
  size_t jobs = 10000;
  // of the machine, at least 2; also the size of the largest possible job
  int64_t processors = 256;
  // number of such machines, each with its own arrivals; SWF partition (h + 1) x 100 identifies
  // machine h
  uint32_t homes = 1;
};

// The first `jobs` submissions, in order. Requested times equal run times. REQUIRES: processors >=
// 2, homes >= 1.
SwfTrace LublinTrace(const Lublin& model, uint64_t seed);

}  // namespace muster::sim
