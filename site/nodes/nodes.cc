// See nodes.h.
#include "site/nodes/nodes.h"

#include <optional>

namespace muster::site {

Nodes::Nodes(Options told, Now now)
    : Turn(std::move(told), now),
      use_(options().nodes, options().units.geometry != nullptr),
      ports_(options().rendezvous_host, options().first_port, options().last_port) {}

const PartKey* Nodes::ByToken(const std::string& token) const {
  const auto it = tokens_.find(token);
  return it == tokens_.end() ? nullptr : &it->second;
}

void Nodes::Enter(const PartKey& part, const std::string& token, const schemas::PartPlace& place,
                  bool exclusive) {
  use_.Enter(part, place, exclusive);
  tokens_[token] = part;
}

void Nodes::Leave(const PartKey& part, const std::string& token) {
  use_.Leave(part);
  tokens_.erase(token);
}

void Nodes::Replace(const PartKey& part, const schemas::PartPlace& place, bool exclusive) {
  use_.Leave(part);
  use_.Enter(part, place, exclusive);
}

// Parts that already have a port keep it.
bool Nodes::TakePorts(std::vector<schemas::PartRecord>& parts) {
  std::vector<schemas::PartRecord*> given;
  for (schemas::PartRecord& part : parts) {
    if (!part.rendezvous.empty()) continue;
    const std::optional<std::string> port = ports_.Take();
    if (!port) {
      for (schemas::PartRecord* other : given) {
        ports_.GiveBack(other->rendezvous);
        other->rendezvous.clear();
      }
      return false;
    }
    part.rendezvous = *port;
    given.push_back(&part);
  }
  return true;
}

}  // namespace muster::site
