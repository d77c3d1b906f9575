// What a pause of a life on lent room means for its processes and its booking. protocol.md section
// 3.3, rows L9 and L10.
#pragma once

#include "schemas/hold.h"

namespace muster::sim {

// Whole seconds, rounded up, by which the end of a part moves for what it was paused.
inline Span PausedFor(BootSpan paused) { return {(paused.milliseconds + 999) / 1000}; }

// Whether the life with this token is off its cores: since it was paused until it goes on or is
// gone.
inline bool IsOffItsCores(const schemas::PartRecord& part, const std::string& token) {
  return part.loan && part.loan->token == token && part.loan->paused_at;
}

// What of a set of a chunk is used there.
inline ResourceSet UsedBy(const schemas::ChunkPlace& chunk, bool off_its_cores) {
  ResourceSet used = chunk.resources;
  if (off_its_cores) used.Set("ncpus", 0);
  return used;
}

}  // namespace muster::sim
