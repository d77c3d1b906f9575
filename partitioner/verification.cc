// In every round, each entry still in the set has the start that its sites are asked to book.
//
// Why the loop ends. Assume fixed plans and consider a round after the second. A site maps the set
// greedily in the given order, and each mapping depends only on the entries before. Let i be the
// first open entry. The entries before i keep their starts, so every site maps them as in the last
// round, and F_i, the set of feasible starts that a site reports for i, is exact. The minimum of
// the intersection over i's sites is therefore a start at which each of them maps i in the next
// round: i agrees, and the agreed prefix grows by one. If the K reported intervals have no common
// start, not_before rises to the smallest complete_until, that is, past K intervals of a finite
// plan at whose end everything is free. So each round settles one co-allocation or K intervals; an
// entry of a single site agrees in the round in which all entries before it do. Hence rounds <= 3 +
// co-allocations + ceil(intervals / K), and rounds_max cuts them off: what has agreed by then was
// mapped by its sites together with the rest, and part of a mapped schedule is a mapped schedule. A
// changed plan restarts this, at most restarts_max times.
#include "partitioner/verification.h"

#include <algorithm>

#include "base/check.h"
#include "partitioner/meet.h"

namespace muster::partitioner {

using schemas::VerdictEntry;
using schemas::VerdictKind;

Reorganised Reorganise(Instant asked, Instant not_before, const IntervalSet& allowed,
                       const std::vector<VerdictEntry>& verdicts) {
  MUSTER_CHECK(!verdicts.empty());
  Reorganised out{.start = asked, .not_before = not_before};
  const auto any = [&verdicts](VerdictKind kind) {
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [kind](const VerdictEntry& v) { return v.kind == kind; });
  };
  if (any(VerdictKind::kNever))
    out.agreement = Agreement::kNever;
  else if (any(VerdictKind::kBlocked))
    out.agreement = Agreement::kBlocked;
  else if (any(VerdictKind::kUnanswered))
    out.agreement = Agreement::kUnanswered;
  if (out.agreement != Agreement::kOpen) return out;
  if (verdicts.size() == 1) {
    out.start = verdicts[0].start;
    out.agreement = Agreement::kAgreed;
    return out;
  }
  std::vector<IntervalSet> sets = {allowed.NotBefore(not_before)};
  Instant complete = kFarFuture;
  for (const VerdictEntry& v : verdicts) {
    sets.push_back(v.starts.empty() ? IntervalSet::Only(v.start) : v.starts);
    complete = std::min(complete, v.starts.empty() ? v.start + Span{1} : v.complete_until);
  }
  const IntervalSet common = CommonStarts(sets);
  if (!common.empty()) {
    out.start = common.intervals()[0].begin;
    const bool booked = std::all_of(verdicts.begin(), verdicts.end(),
                                    [&out](const auto& v) { return v.start == out.start; });
    if (booked) out.agreement = Agreement::kAgreed;
    return out;
  }
  // A site may report no starts beyond its first; not_before must rise nevertheless.
  out.not_before = std::max(complete, not_before + Span{1});
  const std::optional<Instant> next = allowed.FirstFrom(out.not_before);
  if (!next || out.not_before >= kFarFuture) {
    out.agreement = Agreement::kNoStart;
  } else {
    out.start = *next;
  }
  return out;
}

Verification::Verification(std::vector<Entry> entries, VerificationLimits limits)
    : entries_(std::move(entries)), limits_(limits), heard_(entries_.size()) {
  for (const Entry& entry : entries_) {
    MUSTER_CHECK(!entry.members.empty() && entry.allowed.Contains(entry.start));
  }
}

std::map<std::string, std::vector<size_t>> Verification::Questions() const {
  std::map<std::string, std::vector<size_t>> out;
  if (over_) return out;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!InSet(entries_[i])) continue;
    for (const std::string& site : entries_[i].members) out[site].push_back(i);
  }
  return out;
}

void Verification::Take(const std::string& site, PlanRevision plan,
                        const std::vector<VerdictEntry>* verdicts) {
  if (verdicts) {
    const auto [it, first] = plans_.emplace(site, plan);
    if (!first && it->second != plan) {
      plan_changed_ = true;
      it->second = plan;
    }
  }
  size_t position = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const auto member = std::find(entry.members.begin(), entry.members.end(), site);
    if (!InSet(entry) || member == entry.members.end()) continue;
    heard_[i].resize(entry.members.size());
    const bool said = verdicts && position < verdicts->size();
    heard_[i][static_cast<size_t>(member - entry.members.begin())] =
        said ? (*verdicts)[position] : VerdictEntry{};
    ++position;
  }
}

void Verification::Settle(size_t i) {
  Entry& entry = entries_[i];
  heard_[i].resize(entry.members.size());
  const Reorganised next = Reorganise(entry.start, entry.not_before, entry.allowed, heard_[i]);
  entry.agreement = next.agreement;
  entry.start = next.start;
  entry.not_before = next.not_before;
}

bool Verification::NextRound() {
  if (over_) return false;
  bool open = false;
  bool unanswered = false;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!InSet(entries_[i])) continue;
    Settle(i);
    open = open || entries_[i].agreement == Agreement::kOpen;
    unanswered = unanswered || entries_[i].agreement == Agreement::kUnanswered;
  }
  heard_.assign(entries_.size(), {});
  if (unanswered && unanswered_ < limits_.unanswered_max) {
    // Asks the unanswered tail again together with the entries before it. This does not count as a
    // round.
    ++unanswered_;
    for (Entry& entry : entries_) {
      if (entry.agreement == Agreement::kUnanswered) entry.agreement = Agreement::kOpen;
    }
    return true;
  }
  unanswered_ = 0;
  ++rounds_;
  ++rounds_of_pass_;
  over_ = !open;
  if (over_) return false;
  if (plan_changed_) {
    plan_changed_ = false;
    over_ = ++restarts_ > limits_.restarts_max;
    rounds_of_pass_ = 0;
  } else {
    over_ = rounds_of_pass_ >= limits_.rounds_max;
  }
  return !over_;
}

}  // namespace muster::partitioner
