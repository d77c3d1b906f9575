// Malleable parts: one that runs gives chunk sets back, which are free at once, or asks for more,
// which it gets where they are free until its end. OpenCCS Sect. 8 names this as future work.
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "site/holds/extension.h"

namespace muster::site {

// No state of its own.
class Resizing : public Extension {
 public:
  using Extension::Extension;

  // `counts`: sets of each chunk. The result has no order's number. REQUIRES: the part is one of a
  // live hold.
  schemas::Steered ResizePart(const PartKey& part, const std::vector<uint64_t>& counts);

 private:
  using Sets = std::vector<std::vector<schemas::ChunkPlace>>;  // of a part, by chunk
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
