// A request that fits in no gap does not fit until some plan gets longer, or until it may start
// "now" at a site that no other request waits for. Ends are examined only in these cases.
#include "meta/search/packing/blocks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "meta/search/packing/making.h"
#include "meta/waiting/committed_plan.h"

namespace muster::packing {
namespace {

constexpr size_t kTriesOfStep = 128;   // gap searches per step
constexpr size_t kLooksOfStep = 4096;  // requests looked at per step

}  // namespace

BlockLayout LayOutBlock(Algorithm algorithm, const Problem& problem,
                        std::optional<Schedule> at_earliest) {
  if (algorithm != Algorithm::kFcfsStar || !at_earliest) {
    at_earliest = PackInLevels(algorithm, problem).schedule;
  }
  // FCFS* leaves no gaps that compaction could close.
  const bool compact = algorithm == Algorithm::kFcfsStar;
  BlockLayout out{.schedule = compact ? *at_earliest : Compact(problem, *at_earliest), .order = {}};
  for (size_t i = 0; i < out.schedule.size(); ++i) {
    if (out.schedule[i]) out.order.push_back(i);
  }
  std::stable_sort(out.order.begin(), out.order.end(), [&](size_t a, size_t b) {
    return out.schedule[a]->start < out.schedule[b]->start;
  });
  return out;
}

Blocks::Blocks(Instant now, std::vector<BlockSite> sites, room::Queues queues, BlockTerms terms)
    : problem_{.now = now, .bins = {}, .entries = {}, .transfer_of = terms.transfer_of},
      queues_(std::move(queues)),
      terms_(std::move(terms)) {
  for (BlockSite& site : sites) {
    index_[site.bin.name()] = sites_.size();
    sites_.push_back({site.asked, site.last_start, site.plan_end});
    ends_.insert(site.ends.begin(), site.ends.end());
    problem_.bins.push_back(std::move(site.bin));
  }
  LookAhead();
}

// Determines when the next block is due, and which requests alone wait for some site.
void Blocks::LookAhead() {
  due_.reset();
  bool lonely = false;
  for (const auto& [name, waiting] : queues_.wanted()) {
    const auto index = index_.find(name);
    if (index == index_.end() || !sites_[index->second].asked) continue;
    Instant at = problem_.now;
    if (terms_.threshold) {
      at = std::max(at, room::BlockDueAt(sites_[index->second].last_start, *terms_.threshold));
    }
    due_ = std::min(due_.value_or(at), at);
    lonely = lonely || waiting == 1;
  }
  if (!std::exchange(fewer_, false)) return;
  alone_.clear();
  if (!lonely) return;
  for (auto rank = queues_.After(std::nullopt); rank; rank = queues_.After(rank)) {
    const std::vector<std::string>& own = queues_.SitesOf(rank->id);
    const bool alone = std::any_of(own.begin(), own.end(), [this](const std::string& site) {
      return queues_.Wanted(site) == 1 && index_.contains(site);
    });
    if (alone) alone_.insert(*rank);
  }
}

void Blocks::GoTo(Instant now) {
  problem_.now = now;
  for (Bin& bin : problem_.bins) bin.GoTo(now);
}

// Begins a gap pass at the first end, up to the time of the next block, that may open a gap.
void Blocks::BeginPassBefore(Instant due) {
  while (!ends_.empty() && *ends_.begin() <= due) {
    const Instant end = *ends_.begin();
    ends_.erase(ends_.begin());
    if (end <= problem_.now || (!longer_ && alone_.empty())) continue;
    GoTo(end);
    pass_ = Pass{.all = std::exchange(longer_, false), .passed = {}, .vain = {}};
    return;
  }
}

std::optional<BlockRequest>& Blocks::Known(RequestId id, const Ask& ask) {
  const auto known = known_.find(id);
  return known == known_.end() ? known_.emplace(id, ask(id)).first->second : known->second;
}

void Blocks::Leave(RequestId id) {
  queues_.Leave(id);
  known_.erase(id);
  fewer_ = true;
}

Entry Blocks::Now(Entry entry) const {
  entry.joint_from = problem_.now + terms_.lead;
  return entry;
}

void Blocks::Book(RequestId id, const Entry& entry, Place place, bool of_block, Step& out) {
  const Span tail = Several(place.bins) ? entry.tail : Span{0};
  for (const Hull& hull : Take(entry, place, problem_.bins)) {
    SiteNow& site = sites_[hull.bin];
    const Instant end = hull.start + hull.length;
    if (!site.plan_end || *site.plan_end < end) {
      site.plan_end = end;
      longer_ = true;
    }
    if (of_block) site.last_start = std::max(site.last_start.value_or(hull.start), hull.start);
    ends_.insert(end - tail);
  }
  out.placed.push_back({id, std::move(place), problem_.now});
}

void Blocks::Block(const Ask& ask, Step& out) {
  std::vector<room::Rank> taken;
  size_t chunks = 0;
  room::BlockOrder* const order = terms_.order ? &*terms_.order : nullptr;
  for (const room::Rank& rank : queues_.Block(terms_.block_max, order)) {
    const std::optional<BlockRequest>& known = Known(rank.id, ask);
    if (known && chunks > 0 && chunks + known->chunks > kBlockChunks) break;
    if (known) chunks += known->chunks;
    taken.push_back(rank);
  }
  if (order) {
    taken = order->InOrder(std::move(taken));
    order->Leave(taken);
  } else {
    std::sort(taken.begin(), taken.end());
  }
  std::vector<RequestId> ids;
  std::vector<Voter> voters;
  for (const room::Rank& rank : taken) {
    if (std::optional<BlockRequest>& known = Known(rank.id, ask)) {
      ids.push_back(rank.id);
      voters.push_back(std::move(known->voter));
      problem_.entries.push_back(Now(std::move(known->entry)));
    }
    Leave(rank.id);
  }
  if (ids.empty()) return;
  constexpr size_t kTimes = 3;  // for the vote, the packing and the compaction
  out.looked += kTimes * ids.size();
  std::optional<Schedule> at_earliest;
  Algorithm algorithm = terms_.pin.value_or(Algorithm::kFcfsStar);
  if (!terms_.pin) {
    at_earliest = Pack(Algorithm::kFcfsStar, problem_);
    const Ballot ballot =
        BallotOf(voters, terms_.came, StartAfter(*at_earliest, problem_.now + kAtOnce));
    algorithm = terms_.voting.Count(ballot).algorithm;
    // In virtual time no request arrives, so later blocks have no voters but their own.
    terms_.came.clear();
  }
  const BlockLayout laid_out = LayOutBlock(algorithm, problem_, std::move(at_earliest));
  for (const size_t i : laid_out.order) {
    Book(ids[i], problem_.entries[i], *laid_out.schedule[i], /*of_block=*/true, out);
  }
  problem_.entries.clear();
}

// The daemon's gap rule: the request ends within the plan of each of its sites, or starts now where
// no other request waits.
IntervalSet Blocks::GapStarts(const Entry& entry, RequestId id,
                              const std::vector<size_t>& bins) const {
  const bool several = Several(bins);
  IntervalSet out =
      entry.allowed.NotBefore(several ? std::max(problem_.now, entry.joint_from) : problem_.now);
  if (out.empty()) return out;
  const Instant first = out.intervals()[0].begin;
  const bool now = first <= problem_.now + terms_.near;
  for (size_t p = 0; p < bins.size(); ++p) {
    const size_t bin = bins[p];
    const Bin& site = problem_.bins[bin];
    std::vector<Interval> starts;
    if (sites_[bin].plan_end) {
      const Span whole = entry.parts[p].offset + ChoiceAt(entry.parts[p], bin).length +
                         (several ? entry.tail : Span{0});
      starts.push_back({first, *sites_[bin].plan_end - whole + Span{1}});
    }
    const std::vector<std::string>& own = queues_.SitesOf(id);
    const size_t itself = std::count(own.begin(), own.end(), site.name()) > 0 ? 1 : 0;
    if (now && queues_.Wanted(site.name()) <= itself) {
      starts.push_back({first, first + site.turnover() + room::kStartsNow});
    }
    std::erase_if(starts, [](const Interval& i) { return i.begin >= i.end; });
    out = out.Intersect(IntervalSet(std::move(starts)));
  }
  return out;
}

std::optional<Place> Blocks::Gap(const Entry& entry, RequestId id) const {
  const Offer offer = [this](size_t bin, const Bin::Need& need, Instant from, Span length,
                             Instant) {
    return problem_.bins[bin].EarliestFit(need, from, length);
  };
  Entry within = entry;
  const auto start_at = [&](const std::vector<size_t>& bins) -> std::optional<Instant> {
    within.allowed = GapStarts(entry, id, bins);
    if (within.allowed.empty()) return std::nullopt;
    const Instant last = within.allowed.intervals().back().end;
    return StartAt(problem_, within, bins, problem_.now, offer, last);
  };
  if (entry.parts.size() > 1) {
    return ChooseSeveral(problem_, entry, problem_.now, offer, start_at);
  }
  std::optional<partitioner::Candidate> best;
  for (const Choice& choice : entry.parts[0].choices) {
    const std::optional<Instant> start = start_at({choice.bin});
    if (!start) continue;
    partitioner::Candidate candidate = CandidateOf(problem_, entry.parts[0], choice, *start);
    if (!best || partitioner::Better(candidate, *best)) best = std::move(candidate);
  }
  if (!best) return std::nullopt;
  return Place{{index_.at(best->site)}, best->start};
}

std::optional<room::Rank> Blocks::NextInPass() const {
  if (pass_->all) return queues_.After(pass_->passed);
  const auto next = pass_->passed ? alone_.upper_bound(*pass_->passed) : alone_.begin();
  if (next == alone_.end()) return std::nullopt;
  return *next;
}

void Blocks::GoOnWithPass(const Ask& ask, size_t most, Step& out) {
  size_t tried = 0;
  for (size_t looked = 0; looked < kLooksOfStep && tried < most; ++looked) {
    const std::optional<room::Rank> rank = NextInPass();
    if (!rank) return pass_.reset();
    pass_->passed = rank;
    const std::optional<BlockRequest>& known = Known(rank->id, ask);
    if (!known || !queues_.Has(rank->id)) continue;
    if (known->shape && pass_->vain.contains(*known->shape)) continue;
    ++tried;
    ++out.looked;
    const Entry entry = Now(known->entry);
    if (std::optional<Place> place = Gap(entry, rank->id)) {
      Leave(rank->id);
      Book(rank->id, entry, *std::move(place), /*of_block=*/false, out);
    } else if (known->shape) {
      pass_->vain.insert(*known->shape);
    }
  }
}

Blocks::Step Blocks::Next(const Ask& ask) {
  Step out;
  if (!pass_) BeginPassBefore(*due_);
  if (pass_) {
    const bool block_now = due_ && *due_ <= problem_.now;
    GoOnWithPass(ask, block_now ? kGapTries : kTriesOfStep, out);
    LookAhead();
  } else {
    GoTo(*due_);
  }
  if (due_ && *due_ <= problem_.now) Block(ask, out);
  LookAhead();
  return out;
}

}  // namespace muster::packing
