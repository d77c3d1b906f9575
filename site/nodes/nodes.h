// The room of what really stands on the nodes of a site: parts that may have processes and their
// tokens, who waits for a clean node, the rendezvous ports. protocol.md sections 2
// (report), 3.3, 4.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/hold.h"
#include "site/nodes/node_use.h"
#include "site/nodes/ports.h"
#include "site/turn/turn.h"

namespace muster::site {

// Invariant: a token names a part exactly as long as the part is on its nodes.
class Nodes : public Turn {
 public:
  Nodes(Options options, Now now);

  // Parts that may have processes on the nodes of a place, ascending.
  std::vector<PartKey> PartsOn(const schemas::PartPlace& place) const { return use_.On(place); }
  // What is there leaves room for the place; the place's nodes exist and are large enough for it.
  bool Clean(const schemas::PartPlace& place, bool exclusive) const {
    return use_.Clean(place, exclusive);
  }
  bool Exists(const schemas::PartPlace& place) const { return use_.Exists(place); }
  // By token: every part that may have processes.
  const std::map<std::string, PartKey>& tokens() const { return tokens_; }
  // The part of this token; null: a try that is over.
  const PartKey* ByToken(const std::string& token) const;

  // A part's processes may be there from now on; they are gone. REQUIRES: not there yet / there.
  void Enter(const PartKey& part, const std::string& token, const schemas::PartPlace& place,
             bool exclusive);
  void Leave(const PartKey& part, const std::string& token);
  // A part that is there has another place. REQUIRES: it is there.
  void Replace(const PartKey& part, const schemas::PartPlace& place, bool exclusive);
  // True once after each change by which a node that was lost may be back.
  bool TakeMayBeBack() { return std::exchange(may_be_back_, false); }
  void MayBeBack() { may_be_back_ = true; }

  // Holds with a part that is due or to be ready while its nodes are not clean.
  const std::set<Fence>& waiting() const { return waiting_; }
  void Wait(const Fence& fence) { waiting_.insert(fence); }
  void WaitNoMore(const Fence& fence) { waiting_.erase(fence); }

  // A port for every part that has none: all of them, or none and false.
  bool TakePorts(std::vector<schemas::PartRecord>& parts);
  // One that a record names; one no longer needed.
  void KeepPort(const std::string& rendezvous) { ports_.Keep(rendezvous); }
  void GiveBackPort(const std::string& rendezvous) { ports_.GiveBack(rendezvous); }

 private:
  NodeUse use_;
  Ports ports_;
  std::map<std::string, PartKey> tokens_;
  std::set<Fence> waiting_;
  bool may_be_back_ = true;
};

}  // namespace muster::site
