// What is really on the nodes: parts that may have processes, by amount. A part is started only on
// clean nodes, that is where its predecessors' processes are gone, whatever the plan says.
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
  // With `whole`, every part has its nodes alone.
  explicit NodeUse(const std::vector<Node>& nodes, bool whole = false);

  // A part's processes may be there from now on / are gone. REQUIRES: not there yet / there.
  void Enter(const PartKey& part, const schemas::PartPlace& place, bool exclusive);
  void Leave(const PartKey& part);

  // The place's nodes exist, are large enough, and what is there leaves room for its amounts; an
  // exclusive part shares its nodes with nobody.
  bool Clean(const schemas::PartPlace& place, bool exclusive) const;
  // The place's nodes exist and are large enough for it alone.
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
