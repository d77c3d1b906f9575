// Decides from a site's node classes alone whether it could ever run a part. A `never` is certain:
// even the empty, complete machine has too little. Otherwise the part may still not fit. Impossible
// requests are refused at submission, with the largest chunks that would fit. cli.md section 3
// ("When it fails"), scheduling.md section 1 (never satisfiable).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/request.h"
#include "schemas/site_link.h"

namespace muster::verifier {

struct Misfit {
  std::string text;  // "no node has more than 4 cpus"
  // The largest chunk of this shape that fits. Empty if none fits, or if the part has several
  // chunks or fails as a whole.
  std::vector<schemas::Chunk> largest;
};
// Why this part never fits a machine of these classes; none if it may fit.
std::optional<Misfit> WhyNever(const schemas::PartSpec& part, const schemas::Capacity& capacity);

// Turns amounts into properties where needed: users write a property with a whole-number value like
// an amount ("rack=8", OpenCCS Example 2). If no node of these sites has a resource of that name
// and some node has a property of that name, the part asks for the property instead. A job-wide
// amount becomes a property of every chunk.
void NameProperties(schemas::PartSpec& part, const std::vector<const schemas::Capacity*>& sites);

// "4 cpus", "1 gpu", "2gb", "3 licence_matlab".
std::string AmountText(const std::string& resource, int64_t amount);
// ChunksText: "2 × (4 cpus, 2gb)" joined by " + ". ChunksOption: the syntax of -l,
// "2:ncpus=4:mem=2gb".
std::string ChunksText(const std::vector<schemas::Chunk>& chunks);
std::string ChunksOption(const std::vector<schemas::Chunk>& chunks);

}  // namespace muster::verifier
