// The ledger's changes in order: the only way a site speaks of its holds. Each has a revision and a
// chain digest h_r = H(h_{r-1}, change r); changes are kept until the meta has them durably.
// protocol.md sections 0.4, 1, 2.
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

inline constexpr size_t kReportBytes = size_t{1}
                                       << 20;  // of one report, far below a message's limit

class Feed {
 public:
  Feed() = default;
  // A feed that ends at `end` and was acknowledged up to `acknowledged`. Its kept changes follow by
  // Restore.
  Feed(schemas::FeedPosition end, Revision acknowledged);

  // The next kept change, in revision order. The first may be the last acknowledged one: its digest
  // is the position all others follow. Error: a gap, or a revision past the end.
  absl::Status Restore(schemas::ChangeRecord record);
  // After the last Restore. Error: changes are missing between `acknowledged` and the end.
  absl::Status CheckComplete() const;

  // Appends a change; its revision and digest are in the record. Valid until the next call.
  const schemas::ChangeRecord& Append(const Fence& fence, decltype(schemas::Change::what) what);

  schemas::FeedPosition end() const { return end_; }
  Revision acknowledged() const { return acknowledged_; }

  // The meta has everything up to `revision`. Returns the changes that need no longer be kept. A
  // revision that is old or past the end changes nothing.
  std::vector<Revision> Acknowledge(Revision revision);

  // The position (r, h_r), if r is within what is kept.
  std::optional<schemas::FeedPosition> PositionAt(Revision revision) const;

  // Changes after `from`, at most kReportChanges and kReportBytes, and not past the window of
  // kFeedWindow unacknowledged ones; none if there are none. REQUIRES: PositionAt(from).
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
