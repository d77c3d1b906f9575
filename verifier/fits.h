// Whether a site could ever run a part, judged from its node classes alone: a `never` here is
// certain (the whole, empty machine has too little), its absence is not. Impossible requests are
// refused at submission, with the largest that would fit. cli.md section 3 ("When it fails"),
// scheduling.md section 1 (never satisfiable).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/request.h"
#include "schemas/site_link.h"

namespace muster::verifier {

struct Misfit {
  std::string text;                     // "no node has more than 4 cpus"
  std::vector<schemas::Chunk> largest;  // empty: nothing of this shape fits at all
};
// Why this part never fits on a machine of these classes; none if it may.
std::optional<Misfit> WhyNever(const schemas::PartSpec& part, const schemas::Capacity& capacity);

// Users write the value of a property as they write an amount if it is a whole number ("rack=8",
// OpenCCS Example 2). What no node of these sites has as a resource, and one has as a property, is
// asked for as that; what is of the job as a whole, of every chunk.
void NameProperties(schemas::PartSpec& part, const std::vector<const schemas::Capacity*>& sites);

// "4 cpus", "1 gpu", "2gb", "3 licence_matlab".
std::string AmountText(const std::string& resource, int64_t amount);
// "2 × (4 cpus, 2gb)" joined by " + "; what -l takes: "2:ncpus=4:mem=2gb".
std::string ChunksText(const std::vector<schemas::Chunk>& chunks);
std::string ChunksOption(const std::vector<schemas::Chunk>& chunks);

}  // namespace muster::verifier
