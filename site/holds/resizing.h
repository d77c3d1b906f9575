// Malleable parts: a running part gives chunk sets back, which are free at once, or asks for more
// and gets them if they are free until its end. OpenCCS Sect. 8 names this as future work.
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "site/holds/extension.h"

namespace muster::site {

// Stateless.
class Resizing : public Extension {
 public:
  using Extension::Extension;

  // `counts`: the wanted number of sets of each chunk. Leaves the result's order id unset.
  // REQUIRES: the part belongs to a live hold.
  schemas::Steered ResizePart(const PartKey& part, const std::vector<uint64_t>& counts);

 private:
  using Sets = std::vector<std::vector<schemas::ChunkPlace>>;  // the sets of a part, by chunk
  std::variant<Sets, std::string> Grow(const PartKey& part, Sets sets,
                                       std::vector<uint64_t> added) const;
  std::string WhyNotInside(schemas::HoldRecord hold, uint32_t index,
                           const std::vector<uint64_t>& added) const;
  std::set<std::string> NodesForMore(const schemas::HoldRecord& hold, uint32_t index,
                                     const std::set<std::string>& before) const;
  std::variant<schemas::PartPlace, std::string> AskForMore(
      SitePlanner& trial, const schemas::HoldRecord& hold, uint32_t index,
      const std::vector<uint64_t>& added) const;
};

}  // namespace muster::site
