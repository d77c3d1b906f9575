// A site's feed: the ledger's changes in order, the only way in which a site reports on its holds.
// Each change has a revision and a chain digest h_r = H(h_{r-1}, change r). Changes are kept until
// the meta has stored them durably. protocol.md sections 0.4, 1, 2.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/status.h"
#include "schemas/site_records.h"

namespace muster::verifier {

// Maximum size of one report in bytes; far below the limit of a message.
inline constexpr size_t kReportBytes = size_t{1} << 20;

class Feed {
 public:
  Feed() = default;
  // A feed that ends at `end` and is acknowledged up to `acknowledged`. Call Restore for its kept
  // changes afterwards.
  Feed(schemas::FeedPosition end, Revision acknowledged);

  // Adds the next kept change, in revision order. The first may be the last acknowledged one, whose
  // digest is the position before all others. Error: a gap, or a revision past the end.
  absl::Status Restore(schemas::ChangeRecord record);
  // Call after the last Restore. Error: changes between `acknowledged` and the end are missing.
  absl::Status CheckComplete() const;

  // Appends a change and returns its record with revision and digest. The reference is valid until
  // the next call.
  const schemas::ChangeRecord& Append(const Fence& fence, decltype(schemas::Change::what) what);

  schemas::FeedPosition end() const { return end_; }
  Revision acknowledged() const { return acknowledged_; }

  // The meta has stored everything up to `revision`. Returns the changes that need not be kept any
  // longer. Ignores a revision that is old or past the end.
  std::vector<Revision> Acknowledge(Revision revision);

  // The position (r, h_r), if change r is still kept or is the end. Position 0, before change 1, is
  // known as long as change 1 is kept.
  std::optional<schemas::FeedPosition> PositionAt(Revision revision) const;

  // A report of the changes after `from`: at most kReportChanges and kReportBytes, and within the
  // window of kFeedWindow unacknowledged changes. None if there is nothing to report. REQUIRES:
  // PositionAt(from).
  std::optional<schemas::Report> ReportAfter(Revision from) const;

 private:
  struct Kept {
    schemas::ChangeRecord record;
    size_t bytes = 0;
  };
  const Kept* Find(Revision revision) const;

  std::deque<Kept> kept_;  // consecutive revisions, up to end_
  schemas::FeedPosition end_;
  Revision acknowledged_;
};

}  // namespace muster::verifier
