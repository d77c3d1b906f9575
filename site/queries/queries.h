// The room for queries: read-only views of a site. protocol.md section 2b (inspect, view), cli.md
// section 3 (nodes, slots, explain).
#pragma once

#include <string>
#include <vector>

#include "schemas/inspect.h"
#include "site/link/meta_link.h"

namespace muster::site {

// Stateless and read-only.
class Queries : public MetaLink {
 public:
  using MetaLink::MetaLink;

  // The plan as a chart: bookings and drains.
  schemas::BookingsView BookingsShown() const;
  schemas::NodesView NodesShown() const;
  // Free windows for an entry that begin before `until`.
  schemas::SlotsView SlotsFor(const schemas::ProposalEntry& entry, Instant until,
                              bool federated = true) const;
  // Why an entry does not start earlier, and which changes would let it start before `before` (0:
  // before its present start).
  schemas::ExplainView Explain(const schemas::ProposalEntry& entry, Instant before) const;
  // The holds that may move to an earlier start alone, in order; without fences if `known` is the
  // present version.
  schemas::OrderView OrderShown(uint64_t known) const;
  // All that may move, in order; with a fence only this hold, and how its points come about.
  schemas::RanksView RanksShown(const Fence& only) const;
  schemas::SharesView SharesShown() const;
  // Whether the site shows its records to whom this is asked for, and which page; the shell puts
  // the page in.
  schemas::SnapshotView SnapshotShown(const schemas::Inspect& inspect) const;

 private:
  bool SoonerUngrouped(const schemas::ProposalEntry& entry,
                       const schemas::VerdictEntry& verdict) const;
  schemas::Reason ReasonOf(const plan::Obstacle& obstacle) const;
  std::vector<std::string> JobsOn(const std::string& node, const plan::NodeNow& planned) const;
};

}  // namespace muster::site
