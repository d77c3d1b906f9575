// The room of questions: what people may see of a site, read-only. protocol.md section 2b (inspect,
// view), cli.md section 3 (nodes, slots, explain).
#pragma once

#include <string>
#include <vector>

#include "schemas/inspect.h"
#include "site/link/meta_link.h"

namespace muster::site {

// No state of its own; nothing here changes anything.
class Queries : public MetaLink {
 public:
  using MetaLink::MetaLink;

  // The plan drawn: bookings and drains.
  schemas::BookingsView BookingsShown() const;
  schemas::NodesView NodesShown() const;
  // Free windows for an entry that begin before `until`.
  schemas::SlotsView SlotsFor(const schemas::ProposalEntry& entry, Instant until,
                              bool federated = true) const;
  // Why an entry does not start earlier, and what would let it start before `before` (0: before
  // what it would have as it is).
  schemas::ExplainView Explain(const schemas::ProposalEntry& entry, Instant before) const;

 private:
  bool SoonerUngrouped(const schemas::ProposalEntry& entry,
                       const schemas::VerdictEntry& verdict) const;
  schemas::Reason ReasonOf(const plan::Obstacle& obstacle) const;
  std::vector<std::string> JobsOn(const std::string& node, const plan::NodeNow& planned) const;
};

}  // namespace muster::site
