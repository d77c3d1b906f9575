// A request that its machine rejects loses its planned start; the others keep theirs. Rejected
// requests are sent again whenever a job ends, by rank and before all others. Until then the plan
// counts them: with a level packing, a rejected request is booked from its site's next scheduling
// point on, on top of other bookings, and is also sent again at that point; otherwise it counts at
// the earliest start that the processor counts allow.
#include "sim/replay/autonomous.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "meta/waiting/queues.h"
#include "partitioner/choose.h"
#include "partitioner/shadow.h"
#include "verifier/start_notice.h"

namespace muster::sim {
namespace {

using packing::Algorithm;

// How near "now" is for the gap rule; same value as in muster.
constexpr Span kStartsNow{10};
constexpr char kProcessors[] = "ncpus";

bool InLevels(Algorithm algorithm) {
  return algorithm != Algorithm::kFcfs && algorithm != Algorithm::kFcfsStar;
}

packing::Bin BinOf(const CountedSite& site, const rusv::Rusv& booked, Instant now) {
  // A job may start at once if its turnover lies in the past.
  const Instant from = now - site.turnover;
  packing::Bin bin(site.name, {{kProcessors, site.processors}}, from, site.turnover);
  for (const rusv::Slot& slot : booked.Slots()) {
    const Instant begin = std::max(slot.start, from);
    if (begin < slot.stop) bin.Occupy({{kProcessors, slot.items}}, begin, slot.stop);
  }
  return bin;
}

// The load of a site, computed as for a shadow.
double LoadOf(const rusv::Rusv& booked, Instant now) {
  constexpr Span kLoadSpan = partitioner::Shadow::kLoadSpan;
  const Instant until = now + kLoadSpan;
  double taken = 0;
  for (Instant t = now; t < until;) {
    const Instant next = std::min(booked.NextEdge(t), until);
    taken += static_cast<double>(booked.At(t)) * static_cast<double>((next - t).seconds);
    t = next;
  }
  return taken / (static_cast<double>(booked.avl()) * static_cast<double>(kLoadSpan.seconds));
}

}  // namespace

AutonomousScheduler::AutonomousScheduler(AutonomousOptions options)
    : options_(std::move(options)), in_force_(options_.packing.value_or(Algorithm::kFcfsStar)) {
  for (const CountedSite& site : options_.sites) {
    sites_.emplace_back().booked = rusv::Rusv(site.processors);
  }
}

Instant AutonomousScheduler::Fit(const rusv::Rusv& booked, const AutonomousRequest& request,
                                 size_t site, Instant from) const {
  const Span turnover = options_.sites[site].turnover;
  return booked.EarliestFit(request.processors, turnover + request.asks, from - turnover) +
         turnover;
}

rusv::Slot AutonomousScheduler::SlotAt(const AutonomousRequest& request, size_t site,
                                       Instant start) const {
  return {start - options_.sites[site].turnover, start + request.asks, request.processors};
}

void AutonomousScheduler::Book(const Entry& entry, Instant start) {
  Site& site = sites_[entry.site];
  site.booked.Increment(SlotAt(entry.request, entry.site, start));
  site.ends.insert(start + entry.request.asks);
}

void AutonomousScheduler::Unbook(const Entry& entry, Instant start) {
  Site& site = sites_[entry.site];
  site.booked.Decrement(SlotAt(entry.request, entry.site, start));
  site.ends.erase(site.ends.find(start + entry.request.asks));
}

void AutonomousScheduler::Reserve(const Entry& entry, int64_t sign) {
  rusv::Slot slot = SlotAt(entry.request, entry.site, *entry.point);
  slot.items *= sign;
  sites_[entry.site].booked.Increment(slot);
}

AutonomousScheduler::Terrain AutonomousScheduler::TerrainAt(Instant now) const {
  Terrain out;
  for (const Site& site : sites_) out.push_back(site.booked);
  for (const size_t number : rejected_) {
    const Entry& entry = requests_.at(number);
    if (entry.point) continue;  // already booked
    rusv::Rusv& booked = out[entry.site];
    const Instant start = Fit(booked, entry.request, entry.site, now);
    booked.Increment(SlotAt(entry.request, entry.site, start));
  }
  return out;
}

std::optional<Instant> AutonomousScheduler::PlanEnd(size_t site) const {
  if (sites_[site].ends.empty()) return std::nullopt;
  return *sites_[site].ends.rbegin();
}

// The gap rule: the request ends within the site's plan, or starts now while nobody else waits for
// that site.
bool AutonomousScheduler::FillsGap(const Entry& entry, const Place& place, Instant now) const {
  const std::optional<Instant> end = PlanEnd(place.site);
  if (end && place.start + entry.request.asks <= *end) return true;
  if (place.start >= now + options_.sites[place.site].turnover + kStartsNow) return false;
  const auto waits = [&](size_t number) {
    const Entry& other = requests_.at(number);
    const std::vector<size_t>& sites = other.request.sites;
    return &other != &entry && std::find(sites.begin(), sites.end(), place.site) != sites.end();
  };
  return std::none_of(waiting_.begin(), waiting_.end(), waits) &&
         std::none_of(rejected_.begin(), rejected_.end(), waits);
}

// Chooses a site by R5 without spoils, cost and transfer.
std::optional<AutonomousScheduler::Place> AutonomousScheduler::EarliestPlace(const Entry& entry,
                                                                             Instant now,
                                                                             const Terrain& terrain,
                                                                             bool gaps) const {
  std::optional<Place> best;
  std::optional<partitioner::Candidate> first;
  for (const size_t site : entry.request.sites) {
    const Place place{site, Fit(terrain[site], entry.request, site, now)};
    if (gaps && !FillsGap(entry, place, now)) continue;
    partitioner::Candidate candidate{.site = options_.sites[site].name,
                                     .start = place.start,
                                     .length = entry.request.asks,
                                     .load = LoadOf(terrain[site], now),
                                     .home = entry.request.home == site};
    if (first && !partitioner::Better(candidate, *first)) continue;
    first = std::move(candidate);
    best = place;
  }
  return best;
}

void AutonomousScheduler::Plan(size_t number, const Place& place, bool of_block,
                               const Enters& enters) {
  Entry& entry = requests_.at(number);
  waiting_.erase(number);
  entry.state = State::kPlanned;
  entry.site = place.site;
  entry.start = place.start;
  entry.of_block = of_block;
  entry.entered = ++entered_;
  Book(entry, place.start);
  planned_.insert({place.start, number});
  enters(number, place.start);
}

void AutonomousScheduler::Submit(size_t number, const AutonomousRequest& request, Instant now,
                                 const Enters& enters) {
  MUSTER_CHECK(!request.sites.empty());
  MUSTER_CHECK(requests_.empty() || requests_.rbegin()->first < number);
  const Entry& entry = requests_.emplace(number, Entry{.request = request}).first->second;
  came_.push_back(VoterOf(number, request));
  if (came_.size() > packing::kNewVoters) came_.erase(came_.begin());
  const bool gaps = options_.threshold.has_value();
  if (const auto place = EarliestPlace(entry, now, TerrainAt(now), gaps)) {
    Plan(number, *place, /*of_block=*/false, enters);
  } else {
    waiting_.insert(number);
  }
}

void AutonomousScheduler::SeekGaps(Instant now, const Enters& enters) {
  if (waiting_.empty()) return;
  Terrain terrain = TerrainAt(now);
  const std::set<size_t> waiting = waiting_;
  for (const size_t number : waiting) {
    const Entry& entry = requests_.at(number);
    const auto place = EarliestPlace(entry, now, terrain, /*gaps=*/true);
    if (!place) continue;
    terrain[place->site].Increment(SlotAt(entry.request, place->site, place->start));
    Plan(number, *place, /*of_block=*/false, enters);
  }
}

// Plans a request as if it were not booked, and keeps the earlier start. `at_once`: moves it only
// if it can start now.
bool AutonomousScheduler::MoveOneUp(size_t number, Instant now, bool at_once, Terrain& terrain) {
  Entry& entry = requests_.at(number);
  const AutonomousRequest& request = entry.request;
  // The user of an interactive job may be away, so it is not moved to a start nearer than its
  // notice.
  const Span notice = request.interactive ? verifier::kInteractiveNotice : Span{0};
  rusv::Rusv& booked = terrain[entry.site];
  booked.Decrement(SlotAt(request, entry.site, entry.start));
  const Instant fit = Fit(booked, request, entry.site, now + notice);
  const Instant soon = now + TurnoverOf(entry);
  const bool moves = fit < entry.start && (!at_once || fit <= soon);
  if (moves) {
    Unbook(entry, entry.start);
    planned_.erase({entry.start, number});
    entry.start = fit;
    Book(entry, fit);
    planned_.insert({fit, number});
  }
  booked.Increment(SlotAt(request, entry.site, entry.start));
  return moves;
}

// Backfills in the order of planning, as the sites do (site/holds/backfilling.h): first requests
// that can start at once, then all, until a round moves none.
void AutonomousScheduler::MoveUp(Instant now) {
  Terrain terrain = TerrainAt(now);
  std::vector<size_t> order;
  for (const auto& [start, number] : planned_) order.push_back(number);
  std::sort(order.begin(), order.end(), [this](size_t a, size_t b) {
    return requests_.at(a).entered < requests_.at(b).entered;
  });
  for (bool moved = true; moved;) {
    moved = false;
    for (const size_t number : order) moved |= MoveOneUp(number, now, true, terrain);
    // requests still to try until a full round has passed without a move
    size_t left = order.size();
    for (size_t i = 0; left > 0; i = (i + 1) % order.size()) {
      --left;
      if (!MoveOneUp(order[i], now, false, terrain)) continue;
      left = order.size();
      moved = true;
    }
  }
}

std::optional<Instant> AutonomousScheduler::NextExtraction() const {
  if (!options_.threshold || waiting_.empty()) return std::nullopt;
  std::set<size_t> wanted;
  for (const size_t number : waiting_) {
    const std::vector<size_t>& sites = requests_.at(number).request.sites;
    wanted.insert(sites.begin(), sites.end());
  }
  std::vector<Instant> due(sites_.size(), Instant{0});
  for (const auto& [start, number] : planned_) {
    const Entry& entry = requests_.at(number);
    if (entry.of_block) due[entry.site] = start - *options_.threshold + Span{1};
  }
  Instant out = kFarFuture;
  for (const size_t site : wanted) out = std::min(out, due[site]);
  return out;
}

packing::Entry AutonomousScheduler::EntryOf(const Entry& entry, Instant now) const {
  packing::Entry out{.duration = entry.request.asks, .allowed = IntervalSet::From(now)};
  packing::Part& part = out.parts.emplace_back();
  for (const size_t site : entry.request.sites) {
    part.choices.push_back({.bin = site,
                            .amounts = {{kProcessors, entry.request.processors}},
                            .length = entry.request.asks,
                            .home = entry.request.home == site});
  }
  return out;
}

packing::Voter AutonomousScheduler::VoterOf(size_t number, const AutonomousRequest& request) {
  // One user of the federation per user and home in the trace.
  const std::string home = request.home ? "@" + std::to_string(*request.home) : "";
  return {.user = std::to_string(request.user) + home,
          .job = RequestId{number + 1},
          .interactive = request.interactive};
}

Algorithm AutonomousScheduler::Vote(const packing::Problem& problem,
                                    const std::vector<size_t>& block) {
  if (options_.packing) return *options_.packing;
  const packing::Schedule earliest = packing::Pack(Algorithm::kFcfsStar, problem);
  std::vector<packing::Voter> voters;
  for (const size_t number : block) voters.push_back(VoterOf(number, requests_.at(number).request));
  const size_t delayed = packing::StartAfter(earliest, problem.now + packing::kAtOnce);
  const packing::Ballot ballot = packing::BallotOf(voters, came_, delayed);
  came_.clear();
  return voting_.Count(ballot).algorithm;
}

void AutonomousScheduler::Extract(Instant now, const Enters& enters) {
  const size_t size = room::BlockSizes({{waiting_.size(), 1}}, options_.block_max)[0];
  std::vector<size_t> block;
  packing::Problem problem{.now = now, .bins = {}, .entries = {}};
  const Terrain terrain = TerrainAt(now);
  for (size_t site = 0; site < sites_.size(); ++site) {
    problem.bins.push_back(BinOf(options_.sites[site], terrain[site], now));
  }
  for (const size_t number : waiting_) {
    if (block.size() == size) break;
    block.push_back(number);
    problem.entries.push_back(EntryOf(requests_.at(number), now));
  }
  in_force_ = Vote(problem, block);
  const packing::Layout packed = packing::PackInLevels(in_force_, problem);
  const packing::Schedule schedule = packing::Compact(problem, packed.schedule);
  for (const auto& placed : schedule) MUSTER_CHECK(placed.has_value());
  for (size_t site = 0; site < sites_.size(); ++site) {
    sites_[site].points.insert(packed.points[site].begin(), packed.points[site].end());
  }
  // Requests are planned in the order of their compacted starts, and MoveUp keeps to this order.
  std::vector<size_t> order(block.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return schedule[a]->start < schedule[b]->start; });
  for (const size_t i : order) {
    Plan(block[i], {schedule[i]->bins[0], schedule[i]->start}, /*of_block=*/true, enters);
  }
}

void AutonomousScheduler::Reject(size_t number, Instant now) {
  Entry& entry = requests_.at(number);
  entry.state = State::kRejected;
  rejected_.insert(number);
  if (!InLevels(in_force_)) return;
  const Site& site = sites_[entry.site];
  const auto next = site.points.upper_bound(now);
  entry.point = next != site.points.end() ? *next : PlanEnd(entry.site).value_or(now);
  entry.point = std::max(*entry.point, now + Span{1});
  Reserve(entry, +1);
}

bool AutonomousScheduler::SendOne(size_t number, Instant now, const Send& send) {
  Entry& entry = requests_.at(number);
  if (!send(number, entry.site)) return false;
  entry.state = State::kRuns;
  entry.start = now;
  Book(entry, now);
  sites_[entry.site].runs[number] = now + entry.request.asks;
  return true;
}

bool AutonomousScheduler::SendDue(Instant now, const Send& send) {
  bool rejected = false;
  while (!planned_.empty() && planned_.begin()->first <= now) {
    const size_t number = planned_.begin()->second;
    planned_.erase(planned_.begin());
    Unbook(requests_.at(number), requests_.at(number).start);
    if (SendOne(number, now, send)) continue;
    Reject(number, now);
    rejected = true;
  }
  return rejected;
}

bool AutonomousScheduler::SendRejected(Instant now, bool after_ends, const Send& send) {
  bool again = false;
  const std::set<size_t> rejected = rejected_;
  for (const size_t number : rejected) {
    Entry& entry = requests_.at(number);
    if (!after_ends && (!entry.point || *entry.point > now)) continue;
    if (entry.point) Reserve(entry, -1);
    entry.point.reset();
    rejected_.erase(number);
    if (SendOne(number, now, send)) continue;
    Reject(number, now);
    again = true;
  }
  return again;
}

void AutonomousScheduler::End(size_t number, Instant now) {
  const auto it = requests_.find(number);
  MUSTER_CHECK(it != requests_.end() && it->second.state == State::kRuns);
  const Entry& entry = it->second;
  room_ = room_ || now < entry.start + entry.request.asks + TurnoverOf(entry);
  Unbook(entry, entry.start);
  Site& site = sites_[entry.site];
  site.runs.erase(number);
  site.booked.ForgetBefore(now - options_.sites[entry.site].turnover);
  site.points.erase(site.points.begin(), site.points.upper_bound(now));
  requests_.erase(it);
}

void AutonomousScheduler::AfterEnds(Instant now, const Send& send, const Enters& enters) {
  SendRejected(now, /*after_ends=*/true, send);
  if (std::exchange(room_, false)) MoveUp(now);
  SeekGaps(now, enters);
}

void AutonomousScheduler::Timers(Instant now, const Send& send, const Enters& enters) {
  SendRejected(now, /*after_ends=*/false, send);
  for (bool again = true; again;) {
    again = SendDue(now, send);
    // Rejected requests leave gaps in the plan.
    if (again) SeekGaps(now, enters);
    const std::optional<Instant> due = NextExtraction();
    if (!due || *due > now) continue;
    Extract(now, enters);
    again = true;
  }
}

std::optional<Instant> AutonomousScheduler::Next() const {
  std::optional<Instant> next = NextExtraction();
  const auto consider = [&next](Instant at) { next = next ? std::min(*next, at) : at; };
  if (!planned_.empty()) consider(planned_.begin()->first);
  for (const size_t number : rejected_) {
    const Entry& entry = requests_.at(number);
    if (entry.point) consider(*entry.point);
  }
  return next;
}

}  // namespace muster::sim
