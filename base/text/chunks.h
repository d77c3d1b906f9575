// What a part asks for, as users write it: "2:ncpus=4:mem=2gb+1:ngpus=1". The CCS "rset" (OpenCCS
// Example 2) and PBS "select" notation; cli.md section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/resources.h"
#include "base/time.h"

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
  // "2-4:ncpus=4": so many to so many sets while it runs, beginning with the least; both 0: rigid.
  uint32_t least = 0;
  uint32_t most = 0;
  bool operator==(const ChunkText&) const = default;
};

// All of it: chunks, and what follows them by comma.
struct PartText {
  // As schemas::Place.
  enum class Place { kFree, kPack, kScatter };

  std::vector<ChunkText> chunks;
  ResourceSet jobwide;                            // of the site: licences, disk
  std::map<std::string, std::string> properties;  // asked of every chunk: "sw=g03"
  std::optional<Place> place;
  std::optional<bool> exclusive;  // "excl" or "shared"
  std::optional<Span> walltime;
  bool operator==(const PartText&) const = default;
};

// Chunks are joined by '+'; one is a count and "name=value" joined by ':', either of which may be
// missing: "1" is one set of one processor, "ncpus=4" one set. "select=" or "rset=" before it all
// is PBS's or CCS's spelling. A chunk without ncpus gets one. ncpus and ngpus are whole numbers and
// mem is a size with its unit; of any other name, a whole number or a size is an amount and
// everything else is a property ("arch=x86_64").
//
// After the chunks, each after a comma: job-wide amounts and properties ("licence=2", "sw=g03"),
// "place=" with free, pack or scatter and excl or shared joined by ':', and PBS's "walltime=".
//
// Errors have code "chunk" and the column in `text` (bytes, from 1).
Diagnosed<PartText> ParsePart(std::string_view text);
// Chunks alone.
Diagnosed<std::vector<ChunkText>> ParseChunks(std::string_view text);

// Whether a chunk takes this value for an amount, of names other than ncpus, ngpus and mem.
bool IsAmount(std::string_view value);

// They read it back as an equal value. In a chunk ncpus stands first, then names in order, then
// properties.
std::string PartToText(const PartText& part);
std::string ChunksText(std::span<const ChunkText> chunks);

}  // namespace muster::text
