// See feed.h.
#include "verifier/feed.h"

#include <utility>

#include "base/check.h"
#include "schemas/canonical.h"
#include "schemas/limits.h"

namespace muster::verifier {
namespace {

size_t CanonicalBytes(const schemas::Change& change) {
  schemas::CanonicalWriter writer;
  writer.Put(change);
  return writer.bytes().size();
}

}  // namespace

Feed::Feed(schemas::FeedPosition end, Revision acknowledged)
    : end_(end), acknowledged_(acknowledged) {}

absl::Status Feed::Restore(schemas::ChangeRecord record) {
  const uint64_t revision = record.change.revision.value;
  if (revision > end_.revision.value) {
    return Internal("change " + std::to_string(revision) + " lies past the feed's end");
  }
  if (!kept_.empty() && revision != kept_.back().record.change.revision.value + 1) {
    return Internal("change " + std::to_string(revision) + " leaves a gap in the feed");
  }
  const size_t bytes = CanonicalBytes(record.change);
  kept_.push_back({std::move(record), bytes});
  return absl::OkStatus();
}

absl::Status Feed::CheckComplete() const {
  const uint64_t last =
      kept_.empty() ? acknowledged_.value : kept_.back().record.change.revision.value;
  const bool from_start =
      kept_.empty() || kept_.front().record.change.revision.value <= acknowledged_.value + 1;
  if (last != end_.revision.value || !from_start) {
    return Internal("the feed ends at " + std::to_string(end_.revision.value) +
                    ", but kept changes end at " + std::to_string(last));
  }
  return absl::OkStatus();
}

const schemas::ChangeRecord& Feed::Append(const Fence& fence,
                                          decltype(schemas::Change::what) what) {
  schemas::Change change{.revision = {end_.revision.value + 1}, .fence = fence};
  change.what = std::move(what);
  const Digest digest = schemas::ChainDigest(end_.digest, change);
  end_ = {change.revision, digest};
  const size_t bytes = CanonicalBytes(change);
  kept_.push_back({{std::move(change), digest}, bytes});
  return kept_.back().record;
}

std::vector<Revision> Feed::Acknowledge(Revision revision) {
  std::vector<Revision> dropped;
  if (revision <= acknowledged_ || revision > end_.revision) return dropped;
  acknowledged_ = revision;
  // Keeps the acknowledged change itself: its digest is the position before the next report.
  while (!kept_.empty() && kept_.front().record.change.revision < revision) {
    dropped.push_back(kept_.front().record.change.revision);
    kept_.pop_front();
  }
  return dropped;
}

const Feed::Kept* Feed::Find(Revision revision) const {
  if (kept_.empty()) return nullptr;
  const uint64_t first = kept_.front().record.change.revision.value;
  if (revision.value < first || revision.value >= first + kept_.size()) return nullptr;
  return &kept_[revision.value - first];
}

std::optional<schemas::FeedPosition> Feed::PositionAt(Revision revision) const {
  if (revision == end_.revision) return end_;
  if (const Kept* kept = Find(revision)) {
    return schemas::FeedPosition{revision, kept->record.digest};
  }
  // The position before the very first change.
  if (revision.value == 0 && Find({1}) != nullptr) return schemas::FeedPosition{};
  return std::nullopt;
}

std::optional<schemas::Report> Feed::ReportAfter(Revision from) const {
  const auto after = PositionAt(from);
  MUSTER_CHECK(after.has_value());
  schemas::Report report{.after = *after};
  const uint64_t window_end = acknowledged_.value + schemas::kFeedWindow;
  size_t bytes = 0;
  for (uint64_t r = from.value + 1; r <= end_.revision.value && r <= window_end; ++r) {
    const Kept* kept = Find({r});
    MUSTER_CHECK(kept != nullptr);
    if (report.changes.size() == schemas::kReportChanges) break;
    if (!report.changes.empty() && bytes + kept->bytes > kReportBytes) break;
    bytes += kept->bytes;
    report.changes.push_back(kept->record.change);
  }
  if (report.changes.empty()) return std::nullopt;
  return report;
}

}  // namespace muster::verifier
