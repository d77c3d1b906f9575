// The resources that a part asks for, as users write them: "2:ncpus=4:mem=2gb+1:ngpus=1". The CCS
// "rset" (OpenCCS Example 2) and PBS "select" notation; cli.md section 2.
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

// Equal sets in one chunk: bounds what a site has to map.
inline constexpr uint32_t kMostSets = 100000;
inline constexpr int64_t kLargestAmount = int64_t{1} << 53;  // exact in a double, and so in JSON
inline constexpr size_t kMostChunks = 64;                    // per part

// `count` equal sets of resources, each on one node with these properties.
struct ChunkText {
  uint32_t count = 1;
  ResourceSet resources;  // of one set; sizes in bytes
  std::map<std::string, std::string> properties;
  // Malleable: "2-4:ncpus=4" has two to four sets while it runs and starts with two. Both 0: rigid.
  uint32_t least = 0;
  uint32_t most = 0;
  bool operator==(const ChunkText&) const = default;
};

// A whole part: its chunks, and the options that follow after commas.
struct PartText {
  // Same values as schemas::Place.
  enum class Place { kFree, kPack, kScatter };

  std::vector<ChunkText> chunks;
  ResourceSet jobwide;                            // resources of the site: licences, disk
  std::map<std::string, std::string> properties;  // required of every chunk: "sw=g03"
  std::optional<Place> place;
  std::optional<bool> exclusive;  // "excl" or "shared"
  std::optional<Span> walltime;
  bool operator==(const PartText&) const = default;
};

// Chunks are joined by '+'. A chunk is a count and "name=value" pairs joined by ':'; either may be
// missing: "1" is one set of one processor, "ncpus=4" one set. A leading "select=" (PBS) or "rset="
// (CCS) is accepted. A chunk without ncpus gets one. ncpus and ngpus are whole numbers, mem is a
// size with a unit. For any other name, a whole number or a size is an amount and everything else
// is a property ("arch=x86_64").
//
// The chunks are followed, each after a comma, by job-wide amounts and properties ("licence=2",
// "sw=g03"), by "place=" with free, pack or scatter and excl or shared joined by ':', and by PBS's
// "walltime=".
//
// Errors have code "chunk" and the column in `text` (bytes, from 1).
Diagnosed<PartText> ParsePart(std::string_view text);
// Parses chunks without options.
Diagnosed<std::vector<ChunkText>> ParseChunks(std::string_view text);

// Whether this value of a resource other than ncpus, ngpus and mem is an amount.
bool IsAmount(std::string_view value);

// Inverses of the parsers. A chunk lists ncpus first, then other resources by name, then
// properties.
std::string PartToText(const PartText& part);
std::string ChunksText(std::span<const ChunkText> chunks);

}  // namespace muster::text
