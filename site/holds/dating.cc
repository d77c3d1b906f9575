// See dating.h.
#include "site/holds/dating.h"

#include "base/check.h"

namespace muster::site {
namespace {

using schemas::ProposalEntry;
using schemas::Reason;
using schemas::VerdictEntry;
using schemas::VerdictKind;

bool HasStart(const VerdictEntry& verdict) {
  return verdict.kind == VerdictKind::kAccepted ||
         (verdict.kind == VerdictKind::kCountered && !verdict.starts.empty());
}

// True if the entry starts as soon as the ceiling lets it, or if the ceiling leaves no start.
bool Binds(const ProposalEntry& entry, const VerdictEntry& verdict) {
  if (entry.allowed.empty()) return true;
  if (!HasStart(verdict)) return false;
  const Instant first = entry.allowed.intervals().front().begin;
  return verdict.kind == VerdictKind::kCountered && verdict.start == first;
}

}  // namespace

Dating::Dating(std::vector<ProposalEntry> entries, std::vector<std::optional<Reason>> barred)
    : entries_(std::move(entries)), barred_(std::move(barred)) {
  MUSTER_CHECK(entries_.size() == barred_.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!barred_[i]) continue;
    IntervalSet left = entries_[i].allowed.NotBefore(barred_[i]->until.value_or(kFarFuture));
    if (left == entries_[i].allowed) {
      barred_[i].reset();
    } else {
      entries_[i].allowed = std::move(left);
    }
  }
}

std::vector<VerdictEntry> Dating::Tell(std::vector<VerdictEntry> verdicts) const {
  for (size_t i = 0; i < verdicts.size() && i < entries_.size(); ++i) {
    const bool judged =
        verdicts[i].kind != VerdictKind::kNever && verdicts[i].kind != VerdictKind::kUnanswered;
    if (barred_[i] && judged && Binds(entries_[i], verdicts[i])) verdicts[i].reason = barred_[i];
  }
  return verdicts;
}

}  // namespace muster::site
