// What a part asks for, as users write it: "2:ncpus=4:mem=2gb+1:ngpus=1". The CCS and PBS "select"
// notation; cli.md section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/resources.h"

namespace muster::text {

inline constexpr uint32_t kMostSets =
    100000;  // equal sets in one chunk: bounds what a site is asked to map
inline constexpr int64_t kLargestAmount = int64_t{1} << 53;  // whole in a double, so in JSON too
inline constexpr size_t kMostChunks = 64;                    // chunks in one part

// `count` equal sets of resources, each on one node with these properties.
struct ChunkText {
  uint32_t count = 1;
  ResourceSet resources;  // of one set; sizes in bytes
  std::map<std::string, std::string> properties;
  bool operator==(const ChunkText&) const = default;
};

// Chunks are joined by '+'; one is a count and "name=value" joined by ':', either of which may be
// missing: "1" is one set of one processor, "ncpus=4" one set. "select=" before it all is PBS's
// spelling. A chunk without ncpus gets one. ncpus and ngpus are whole numbers and mem is a size
// with its unit; of any other name, a whole number or a size is an amount and everything else is a
// property ("arch=x86_64"). Errors have code "chunk" and the column in `text` (bytes, from 1).
Diagnosed<std::vector<ChunkText>> ParseChunks(std::string_view text);

// Whether a chunk takes this value for an amount, of names other than ncpus, ngpus and mem.
bool IsAmount(std::string_view value);

// ParseChunks reads it back as an equal value. ncpus stands first, then names in order, then
// properties.
std::string ChunksText(std::span<const ChunkText> chunks);

}  // namespace muster::text
