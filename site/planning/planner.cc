// Passes each call on to the system that it concerns.
#include "site/planning/planner.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "base/check.h"

namespace muster::site {

verifier::BookAnswer SitePlanner::Book(const Fence& fence, const verifier::Demand& demand,
                                       Instant now, std::optional<Fence> beside) {
  if (!demand.inside) return SystemPlan::Book(fence, demand, now, beside);
  SystemPlan::Forget(now);
  return nested_.Book(fence, demand, now, beside);
}

void SitePlanner::Restore(const Fence& fence, const verifier::Demand& demand,
                          const verifier::Booked& booked) {
  if (!demand.inside) return SystemPlan::Restore(fence, demand, booked);
  MUSTER_CHECK(booked.places.size() == demand.parts.size());
  nested_.Restore(fence, demand, booked);
}

void SitePlanner::Join(const Fence& fence, const Fence& beside) {
  if (SystemPlan* inside = nested_.Of(fence)) return inside->Join(fence, beside);
  SystemPlan::Join(fence, beside);
}

void SitePlanner::Free(const Fence& fence) {
  nested_.Free(fence);
  SystemPlan::Free(fence);
}

void SitePlanner::FreePartFrom(const Fence& fence, uint32_t part, Instant from) {
  if (SystemPlan* inside = nested_.Of(fence)) {
    nested_.Changed();
    return inside->FreePartFrom(fence, part, from);
  }
  SystemPlan::FreePartFrom(fence, part, from);
}

verifier::BookAnswer SitePlanner::Rebook(const Fence& fence, const IntervalSet& allowed,
                                         Instant now) {
  if (nested_.Of(fence) == nullptr) return SystemPlan::Rebook(fence, allowed, now);
  SystemPlan::Forget(now);
  return nested_.Rebook(fence, allowed, now);
}

std::optional<verifier::Booked> SitePlanner::RebookEarlier(const Fence& fence,
                                                           const IntervalSet& allowed,
                                                           Instant now) {
  if (nested_.Of(fence) == nullptr) return SystemPlan::RebookEarlier(fence, allowed, now);
  SystemPlan::Forget(now);
  const verifier::BookAnswer answer = nested_.Rebook(fence, allowed, now);
  const auto* booked = std::get_if<verifier::Booked>(&answer);
  return booked != nullptr ? std::optional(*booked) : std::nullopt;
}

IntervalSet SitePlanner::OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now) {
  SystemPlan* inside = nested_.Of(fence);
  if (inside == nullptr) return SystemPlan::OtherStarts(fence, allowed, now);
  SystemPlan::Forget(now);
  return inside->OtherStarts(fence, allowed, now);
}

std::vector<schemas::VerdictEntry> SitePlanner::Verify(
    const std::vector<schemas::ProposalEntry>& entries, Instant now) const {
  return Answer(entries, now, true, nullptr);
}

std::vector<schemas::VerdictEntry> SitePlanner::Verify(
    const std::vector<schemas::ProposalEntry>& entries, Instant now, bool federated) const {
  return Answer(entries, now, federated, nullptr);
}

std::vector<schemas::VerdictEntry> SitePlanner::Continue(
    const std::vector<schemas::ProposalEntry>& entries, Instant now,
    std::shared_ptr<Run>& run) const {
  if (!run) run = NewRun();
  return Answer(entries, now, true, run.get());
}

std::vector<schemas::VerdictEntry> SitePlanner::Answer(
    const std::vector<schemas::ProposalEntry>& entries, Instant now, bool federated,
    Run* run) const {
  if (std::any_of(entries.begin(), entries.end(),
                  [](const auto& entry) { return entry.inside.has_value(); })) {
    return AnswerApart(entries, now, federated, run);
  }
  return SystemPlan::Verify(entries, now, federated, run);
}

// Entries of different systems take nothing from each other: each system answers its own.
std::vector<schemas::VerdictEntry> SitePlanner::AnswerApart(
    const std::vector<schemas::ProposalEntry>& entries, Instant now, bool federated,
    Run* run) const {
  std::map<std::optional<RequestId>, std::vector<size_t>> places;
  for (size_t i = 0; i < entries.size(); ++i) places[entries[i].inside].push_back(i);
  std::vector<schemas::VerdictEntry> out(entries.size());
  for (const auto& [inside, at] : places) {
    std::vector<schemas::ProposalEntry> own;
    for (const size_t i : at) own.push_back(entries[i]);
    std::vector<schemas::VerdictEntry> verdicts =
        inside ? nested_.Verify(*inside, std::move(own), now)
               : SystemPlan::Verify(own, now, federated, run);
    for (size_t k = 0; k < at.size(); ++k) out[at[k]] = std::move(verdicts[k]);
  }
  return out;
}

Instant SitePlanner::EndOf(const Fence& fence, uint32_t part) const {
  if (const SystemPlan* inside = nested_.Of(fence)) return inside->EndOf(fence, part);
  return SystemPlan::EndOf(fence, part);
}

Instant SitePlanner::RoomUntil(const Fence& fence, uint32_t part, Instant until) const {
  if (const SystemPlan* inside = nested_.Of(fence)) {
    return std::min(inside->RoomUntil(fence, part, until), nested_.EndOf(fence));
  }
  return SystemPlan::RoomUntil(fence, part, until);
}

bool SitePlanner::HasRoomFrom(const Fence& fence, uint32_t part, Instant from) const {
  if (const SystemPlan* inside = nested_.Of(fence)) return inside->HasRoomFrom(fence, part, from);
  return SystemPlan::HasRoomFrom(fence, part, from);
}

std::vector<Fence> SitePlanner::Beside(const Fence& fence, uint32_t part, Instant begin,
                                       Instant end) const {
  if (const SystemPlan* inside = nested_.Of(fence)) {
    return inside->Beside(fence, part, begin, end);
  }
  return SystemPlan::Beside(fence, part, begin, end);
}

void SitePlanner::Lengthen(const Fence& fence, uint32_t part, Instant end) {
  if (SystemPlan* inside = nested_.Of(fence)) {
    nested_.Changed();
    return inside->Lengthen(fence, part, end);
  }
  SystemPlan::Lengthen(fence, part, end);
}

std::vector<plan::Obstacle> SitePlanner::Obstacles(const schemas::ProposalEntry& entry,
                                                   Instant start) const {
  if (entry.inside) return nested_.Obstacles(entry, start);
  return SystemPlan::Obstacles(entry, start);
}

std::vector<plan::Window> SitePlanner::Windows(const schemas::ProposalEntry& entry, Instant until,
                                               Instant now, size_t limit, bool federated) const {
  if (entry.inside) return nested_.Windows(entry, until, now, limit);
  return SystemPlan::Windows(entry, until, now, limit, federated);
}

std::optional<std::string> SitePlanner::ShortOn(const Fence& fence) const {
  if (nested_.Of(fence) != nullptr) return std::nullopt;
  return SystemPlan::ShortOn(fence);
}

bool SitePlanner::SetUsable(const std::string& node, bool usable) {
  if (SystemPlan::SetUsable(node, usable)) nested_.SetUsable(node, usable);
  return Knows(node);
}

void SitePlanner::LimitTime(const std::string& node, const plan::TimeLimit& limit) {
  SystemPlan::LimitTime(node, limit);
  nested_.LimitTime(node, limit);
}

void SitePlanner::OnlyOn(const std::set<std::string>& nodes) {
  SystemPlan::OnlyOn(nodes);
  nested_.OnlyOn(nodes);
}

void SitePlanner::Forget(Instant now) {
  SystemPlan::Forget(now);
  nested_.Forget(now);
}

schemas::Capacity SitePlanner::Capacity(Instant now) const {
  schemas::Capacity out = SystemPlan::Capacity(now);
  out.plan = revision();
  return out;
}

}  // namespace muster::site
