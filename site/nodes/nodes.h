// The room `site/nodes`: what really occupies the nodes. Parts that may have processes, with their
// tokens; holds that wait for a clean node; ports. protocol.md sections 2 (report), 3.3, 4.
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

// Invariant: a token maps to a part exactly while the part is on its nodes.
class Nodes : public Turn {
 public:
  Nodes(Options options, Now now);

  // Parts that may have processes on the nodes of a place, ascending.
  std::vector<PartKey> PartsOn(const schemas::PartPlace& place) const { return use_.On(place); }
  // As in NodeUse.
  bool Clean(const schemas::PartPlace& place, bool exclusive) const {
    return use_.Clean(place, exclusive);
  }
  bool CleanBut(const PartKey& part, const schemas::PartPlace& place, bool exclusive) const {
    return use_.CleanBut(part, place, exclusive);
  }
  bool Exists(const schemas::PartPlace& place) const { return use_.Exists(place); }
  // Every part that may have processes, by token.
  const std::map<std::string, PartKey>& tokens() const { return tokens_; }
  // The part that has this token. Each try to start a part has its own, so null means that the
  // token's try is over.
  const PartKey* ByToken(const std::string& token) const;

  // From Enter until Leave the part may have processes there. REQUIRES: not entered yet / entered.
  void Enter(const PartKey& part, const std::string& token, const schemas::PartPlace& place,
             bool exclusive);
  void Leave(const PartKey& part, const std::string& token);
  // Changes the place of an entered part. REQUIRES: it is entered.
  void Replace(const PartKey& part, const schemas::PartPlace& place, bool exclusive);
  // True once after each change that may bring a lost node back.
  bool TakeMayBeBack() { return std::exchange(may_be_back_, false); }
  void MayBeBack() { may_be_back_ = true; }

  // Holds with a part that has to start or become ready while its nodes are not clean.
  const std::set<Fence>& waiting() const { return waiting_; }
  void Wait(const Fence& fence) { waiting_.insert(fence); }
  void WaitNoMore(const Fence& fence) { waiting_.erase(fence); }

  // Gives a port to every part that has none. If there are too few ports, gives none and returns
  // false.
  bool TakePorts(std::vector<schemas::PartRecord>& parts);
  // Marks a recorded port as taken; gives a port back.
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
