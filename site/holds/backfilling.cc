// See backfilling.h.
#include "site/holds/backfilling.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/canonical.h"
#include "site/plan/plan.h"

namespace muster::site {
namespace {

// The resources of all parts that begin at the order's start; later parts do not count.
ResourceSet NeedsAtStart(const schemas::HoldOrder& order) {
  ResourceSet needs;
  for (const schemas::PartDemand& part : order.parts) {
    if (part.offset > Span{0}) continue;
    for (const schemas::Chunk& chunk : part.chunks) needs += chunk.resources * chunk.count;
  }
  return needs;
}

// How many times `needs` fits into `free`, at most `most`.
int64_t Times(const ResourceSet& needs, const ResourceSet& free, int64_t most) {
  for (const auto& [name, amount] : needs.entries()) {
    if (amount > 0) most = std::min(most, free.Get(name) / amount);
  }
  return most;
}

}  // namespace

// To the plan, orders of the same kind differ only in duration and, if the kind is comparable, in
// the number of sets of their only chunk.
uint32_t Backfilling::KindOf(const schemas::HoldOrder& order) {
  Kind kind;
  std::vector<schemas::PartDemand> parts = order.parts;
  for (schemas::PartDemand& part : parts) {
    part.index = 0;
    part.duration = {};
  }
  kind.comparable =
      parts.size() == 1 && parts[0].chunks.size() == 1 && parts[0].set.empty() && !shaped_;
  if (kind.comparable) parts[0].chunks[0].count = 1;
  kind.needs = kind.comparable ? parts[0].chunks[0].resources : NeedsAtStart(order);
  // A hold inside a reservation needs none of the resources that are free outside.
  if (order.inside) kind.needs = {};
  schemas::CanonicalWriter name;
  name.Put(parts);
  name.Put(order.inside);
  if (rules_) {
    name.Put(order.requester.user);
    name.Put(order.requester.groups);
    name.Put(order.account);
    name.Put(order.qos);
    name.Put(order.queue);
    name.Put(order.request_class);
  }
  kind.name = name.bytes();
  const auto known = names_.find(kind.name);
  if (known != names_.end()) return known->second;
  const auto place = unused_.empty() ? static_cast<uint32_t>(kinds_.size()) : unused_.back();
  if (unused_.empty()) {
    kinds_.emplace_back();
  } else {
    unused_.pop_back();
  }
  names_.emplace(kind.name, place);
  kinds_[place] = std::move(kind);
  return place;
}

bool Backfilling::Enter(const schemas::HoldOrder& order, int64_t points,
                        std::optional<Span> length) {
  MUSTER_CHECK(!order.parts.empty());
  const SitePolicy::Rank urgency = policy_.RankOf(order);
  Member member{.rank = {-points, policy_.EarlierRankOf(order)},
                .urgency = urgency,
                .fence = order.fence,
                .kind = KindOf(order)};
  Kind& kind = kinds_[member.kind];
  member.sets = kind.comparable ? order.parts[0].chunks[0].count : 1;
  member.length = length.value_or(order.parts[0].duration + order.parts[0].tail);
  const auto there = members_.find(member);
  if (there != members_.end() && *there == member) return false;
  ++kind.size;
  Leave(order.fence);
  ranks_.emplace(order.fence, member.rank);
  by_urgency_.emplace(urgency, order.fence);
  members_.insert(member);
  vain_.reset();
  return true;
}

// Whoever comes to stand behind the place up to which a pass has looked is looked at by the next
// one, or by the rest of the round.
void Backfilling::Reorder(const Fence& fence, int64_t points) {
  const auto rank = ranks_.find(fence);
  if (rank == ranks_.end() || rank->second.first == -points) return;
  Member member = *members_.find(Place{rank->second, fence});
  members_.erase(member);
  member.rank.first = rank->second.first = -points;
  members_.insert(member);
  if (now_after_) NowIsDue(Due::kWithAll);
  if (all_) AllIsDue();
}

std::vector<Fence> Backfilling::InOrder() const {
  std::vector<Fence> out;
  for (const Member& member : members_) out.push_back(member.fence);
  return out;
}

void Backfilling::Leave(const Fence& fence) {
  const auto rank = ranks_.find(fence);
  if (rank == ranks_.end()) return;
  const auto member = members_.find(Place{rank->second, fence});
  Kind& kind = kinds_[member->kind];
  if (--kind.size == 0) {
    names_.erase(kind.name);
    unused_.push_back(member->kind);
    kind = {};
  }
  by_urgency_.erase({member->urgency, fence});
  members_.erase(member);
  ranks_.erase(rank);
}

void Backfilling::NowIsDue(Due due) {
  Due& when = now_after_ ? now_again_ : now_;
  when = std::max(when, due);
}

void Backfilling::AllIsDue() {
  all_ = true;
  changed_at_ = all_after_;
  came_round_ = some_wait_ = false;
}

// With rules a start may become possible just because time passes.
void Backfilling::Freed(PlanRevision plan) {
  if (vain_ == plan && !rules_) return;
  NowIsDue(Due::kAtOnce);
  AllIsDue();
}

void Backfilling::Renamed(PlanRevision before, PlanRevision after) {
  if (vain_ == before) vain_ = after;
}

std::optional<BootInstant> Backfilling::NextDue() const {
  if (now_ == Due::kAtOnce) return BootInstant{INT64_MIN};
  if (now_ == Due::kNot && !all_) return std::nullopt;
  return rests_until_;
}

bool Backfilling::IsDue(BootInstant at) const {
  const std::optional<BootInstant> next = NextDue();
  return next && *next <= at;
}

void Backfilling::Begin(BootInstant at, const ResourceSet& free) {
  turn_ = {.at = at, .all = all_ && rests_until_ <= at};
  turn_.now = now_ == Due::kAtOnce || (now_ != Due::kNot && rests_until_ <= at);
  if (turn_.now) BeginNow(free);
}

// A pass that continues from an earlier turn keeps its refusals.
void Backfilling::BeginNow(const ResourceSet& free) {
  now_left_ = 0;
  for (Kind& kind : kinds_) {
    kind.sets = kind.size > 0 ? Times(kind.needs, free, INT64_MAX) : 0;
    if (kind.sets > 0) now_left_ += kind.size;
    if (!now_after_) kind.refused.clear();
  }
}

Backfilling::Members::const_iterator Backfilling::After(const std::optional<Place>& place) const {
  return place ? members_.upper_bound(*place) : members_.begin();
}

bool Backfilling::IsRefused(const Member& member) const {
  const Kind& kind = kinds_[member.kind];
  return std::any_of(kind.refused.begin(), kind.refused.end(), [&member](const auto& refused) {
    return refused.first <= member.sets && refused.second <= member.length;
  });
}

void Backfilling::Refuse(const Member& member) {
  Kind& kind = kinds_[member.kind];
  if (!kind.comparable) return;
  std::erase_if(kind.refused, [&member](const auto& refused) {
    return refused.first >= member.sets && refused.second >= member.length;
  });
  kind.refused.emplace_back(member.sets, member.length);
}

std::optional<Backfilling::Try> Backfilling::NextOfNow() {
  if (turn_.looks_of_now >= kPassLooks) return std::nullopt;
  for (auto it = After(now_after_); it != members_.end() && now_left_ > 0; ++it) {
    if (kinds_[it->kind].sets > 0) --now_left_;
    now_after_ = ByRank::Of(*it);
    if (kinds_[it->kind].sets < it->sets || IsRefused(*it)) continue;
    turn_.tried = *it;
    return Try{it->fence, true};
  }
  now_after_.reset();
  now_ = std::exchange(now_again_, Due::kNot);
  turn_.now = false;
  return std::nullopt;
}

std::optional<Backfilling::Try> Backfilling::NextOfAll() {
  if (turn_.tries >= kTriesPerTurn || turn_.looks >= kPassLooks) return std::nullopt;
  auto it = After(all_after_);
  if (it == members_.end() && !std::exchange(came_round_, true)) it = members_.begin();
  const bool there =
      it == members_.end() || (came_round_ && (!changed_at_ || *changed_at_ < ByRank::Of(*it)));
  if (there) {
    all_ = turn_.all = false;
    turn_.through = true;
    all_after_.reset();
    return std::nullopt;
  }
  ++turn_.tries;
  all_after_ = ByRank::Of(*it);
  turn_.tried = *it;
  return Try{it->fence, false};
}

std::optional<Backfilling::Try> Backfilling::Next() {
  std::optional<Try> next;
  if (turn_.now) next = NextOfNow();
  turn_.of_now = next.has_value();
  if (!next && turn_.all) next = NextOfAll();
  return next;
}

// A hold that moved has freed its old place, so both passes are due again.
void Backfilling::Answer(Came came, uint64_t looks) {
  (turn_.of_now ? turn_.looks_of_now : turn_.looks) += looks + kTryLooks;
  if (came == Came::kMoved) {
    NowIsDue(Due::kWithAll);
    AllIsDue();
  }
  if (came == Came::kStays && turn_.of_now) Refuse(turn_.tried);
  if (came == Came::kWaits) some_wait_ = true;
}

void Backfilling::End(PlanRevision plan, bool paced) {
  if (turn_.through && !some_wait_) vain_ = plan;
  if (turn_.at < rests_until_) return;
  const auto looks = static_cast<int64_t>(turn_.looks + turn_.looks_of_now);
  const int64_t rest = kRestPerWork * looks / static_cast<int64_t>(plan::kLooksPerMillisecond);
  rests_until_ = {turn_.at.milliseconds + (paced ? rest + 1 : 0)};
}

}  // namespace muster::site
