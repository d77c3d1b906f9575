// See turn.h.
#include "site/turn/turn.h"

namespace muster::site {

bool Turn::BeginTurn(Now now) {
  turn_ = now;
  effects_ = {};
  switch (clock_.Update(now)) {
    case verifier::PlanClock::Event::kJumped:
      Note("clock: the wall clock jumped; plans stay on the old time for now");
      return false;
    case verifier::PlanClock::Event::kTookNewOffset:
      Note("clock: the new time was steady for a minute and is taken");
      return true;
    case verifier::PlanClock::Event::kNone:
      break;
  }
  return false;
}

const ResourceSet* Turn::ForgetLost(const std::string& name) {
  for (Node& node : options_.nodes) {
    if (node.name != name || node.lost.empty()) continue;
    node.lost = {};
    return &node.resources;
  }
  return nullptr;
}

}  // namespace muster::site
