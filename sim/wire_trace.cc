// Causes and kinds are printed as the numbers that the enumerations of schemas/ give them
// (schemas/hold.h).
#include "sim/wire_trace.h"

namespace muster::sim {
namespace {

using schemas::HoldState;

std::string StateText(HoldState state) {
  constexpr const char* kNames[] = {"none", "held", "prepared", "committed", "permitted", "closed"};
  return kNames[static_cast<int>(state)];
}

struct OrderLine {
  const Fence& fence;
  std::string operator()(const schemas::HoldOrder& o) const {
    return o.fence == fence
               ? "hold(" + StateText(o.stage) + ") allowed " + muster::ToText(o.allowed)
               : "";
  }
  std::string operator()(const schemas::PrepareOrder& o) const {
    return o.fence == fence ? "prepare" : "";
  }
  std::string operator()(const schemas::CommitOrder& o) const {
    return o.fence == fence ? "commit" : "";
  }
  std::string operator()(const schemas::PermitOrder& o) const {
    return o.fence == fence ? "permit, last start " + std::to_string(o.permit.last_start.seconds)
                            : "";
  }
  std::string operator()(const schemas::ReleaseOrder& o) const {
    if (o.fence != fence) return "";
    return std::string(o.unless_started ? "release unless started" : "release") + ", cause " +
           std::to_string(static_cast<int>(o.cause.code));
  }
};

struct ChangeLine {
  std::string operator()(const schemas::HoldChanged& c) const {
    return StateText(c.state) + " start " + std::to_string(c.start.seconds) + " closed as " +
           std::to_string(static_cast<int>(c.closed_as)) + " cause " +
           std::to_string(static_cast<int>(c.cause.code));
  }
  std::string operator()(const schemas::PartChanged& c) const {
    constexpr const char* kNames[] = {"booked", "ready", "starting", "running", "ending", "ended"};
    return "part " + std::to_string(c.index) + " " + kNames[static_cast<int>(c.state)];
  }
  std::string operator()(const schemas::Moved& c) const {
    return "moved " + std::to_string(c.old_start.seconds) + " to " +
           std::to_string(c.new_start.seconds) + " cause " +
           std::to_string(static_cast<int>(c.cause.code));
  }
  std::string operator()(const schemas::UsageChanged&) const { return "usage"; }
  std::string operator()(const schemas::Steered& c) const {
    return "steered " + std::to_string(c.order);
  }
};

}  // namespace

std::vector<std::string> Lines(const schemas::ToSite& message, const Fence& fence) {
  std::vector<std::string> out;
  if (const auto* orders = std::get_if<schemas::Orders>(&message.body)) {
    for (const schemas::Order& order : orders->orders) {
      std::string line = std::visit(OrderLine{fence}, order.what);
      if (!line.empty()) out.push_back(std::move(line));
    }
  } else if (const auto* resync = std::get_if<schemas::Resync>(&message.body)) {
    out.push_back(resync->all ? "resync all" : "resync from " + std::to_string(resync->from.value));
  } else if (const auto* steer = std::get_if<schemas::Steer>(&message.body)) {
    out.push_back("steer " + std::to_string(steer->order) + " verb " +
                  std::to_string(static_cast<int>(steer->verb)));
  } else if (std::holds_alternative<schemas::Welcome>(message.body)) {
    out.push_back("welcome, epoch " + std::to_string(message.epoch.value));
  }
  return out;
}

std::vector<std::string> Lines(const schemas::ToMeta& message, const Fence& fence) {
  std::vector<std::string> out;
  if (const auto* report = std::get_if<schemas::Report>(&message.body)) {
    for (const schemas::Change& change : report->changes) {
      const bool steered = std::holds_alternative<schemas::Steered>(change.what);
      if (change.fence != fence && !steered) continue;
      out.push_back("r" + std::to_string(change.revision.value) + " " +
                    std::visit(ChangeLine(), change.what));
    }
  } else if (const auto* answers = std::get_if<schemas::Answers>(&message.body)) {
    constexpr const char* kNames[] = {"unknown", "countered", "stale", "present"};
    for (const schemas::Answer& answer : answers->answers) {
      if (answer.fence == fence)
        out.push_back(std::string("answer ") + kNames[static_cast<int>(answer.kind)]);
    }
  } else if (std::holds_alternative<schemas::Listing>(message.body)) {
    out.push_back("listing at r" +
                  std::to_string(std::get<schemas::Listing>(message.body).feed.revision.value));
  } else if (std::holds_alternative<schemas::Hello>(message.body)) {
    out.push_back("hello, incarnation " + std::to_string(message.incarnation.value));
  }
  return out;
}

}  // namespace muster::sim
