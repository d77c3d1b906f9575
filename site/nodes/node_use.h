// What really occupies the nodes: parts that may have processes, and their amounts. A part is
// started only on clean nodes: its predecessors' processes must be gone, whatever the plan says.
// protocol.md sections 3.3, 4.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/resources.h"
#include "schemas/hold.h"
#include "site/options.h"

namespace muster::site {

using PartKey = std::pair<Fence, uint32_t>;  // hold and part index

class NodeUse {
 public:
  // `whole`: every part has its nodes to itself.
  explicit NodeUse(const std::vector<Node>& nodes, bool whole = false);

  // From Enter until Leave the part may have processes there. REQUIRES: not entered yet / entered.
  void Enter(const PartKey& part, const schemas::PartPlace& place, bool exclusive);
  void Leave(const PartKey& part);

  // Whether the place's nodes exist, are large enough and have its amounts free of other parts; an
  // exclusive part needs nodes without any other part.
  bool Clean(const schemas::PartPlace& place, bool exclusive) const;
  // The same for what this part is to have instead of what it has. REQUIRES: it is entered.
  bool CleanBut(const PartKey& part, const schemas::PartPlace& place, bool exclusive) const;
  // Whether the place's nodes exist and are large enough without other parts.
  bool Exists(const schemas::PartPlace& place) const;
  // Parts on the nodes of a place, ascending.
  std::vector<PartKey> On(const schemas::PartPlace& place) const;

 private:
  struct Use {
    ResourceSet has;
    ResourceSet used;
    uint32_t exclusive = 0;
    std::map<PartKey, uint32_t> parts;
  };
  struct Entered {
    schemas::PartPlace place;
    bool exclusive = false;
  };
  bool whole_;
  std::map<std::string, Use> nodes_;
  std::map<PartKey, Entered> parts_;
};

}  // namespace muster::site
