// See outsiders.h.
#include "site/driver/simulated/outsiders.h"

#include <algorithm>

#include "base/check.h"

namespace muster::driver {
namespace {

constexpr Span kRolls{
    60};  // beyond its limit a job is told to last so much longer, again and again

bool Overlap(const Interval& a, const Interval& b) { return a.begin < b.end && b.begin < a.end; }

}  // namespace

Outsiders::Outsiders(OutsiderSettings settings) : settings_(std::move(settings)) {
  whole_ = {.name = kWholeMachine, .resources = settings_.jobwide};
  MUSTER_CHECK(std::is_sorted(settings_.acts.begin(), settings_.acts.end(),
                              [](const auto& a, const auto& b) { return a.at < b.at; }));
}

Moment Outsiders::WallAt(BootInstant at) const {
  return {now_.wall.milliseconds + (at - now_.boot).milliseconds};
}

void Outsiders::Advance(Now now, const Ours& ours) {
  MUSTER_CHECK(now.boot >= now_.boot);
  now_ = now;
  ours_ = ours;
  while (acted_ < settings_.acts.size() && settings_.acts[acted_].at <= now_.boot) {
    Act(settings_.acts[acted_++]);
  }
  EndJobs();
  std::vector<Asked> due;
  if (!blind_) {
    const auto first = std::stable_partition(
        asked_.begin(), asked_.end(), [&](const Asked& asked) { return asked.due > now_.boot; });
    due.assign(first, asked_.end());
    asked_.erase(first, asked_.end());
  }
  Plan();
  Tell();  // what is in the way of a wall is told before it is refused
  for (const Asked& asked : due) Answer(asked);
  if (!due.empty()) OursChanged(ours);
}

void Outsiders::OursChanged(const Ours& ours) {
  ours_ = ours;
  Plan();
  Tell();
}

std::optional<BootInstant> Outsiders::Next() const {
  std::optional<BootInstant> next;
  const auto by = [&next](BootInstant at) { next = std::min(next.value_or(at), at); };
  if (acted_ < settings_.acts.size()) by(settings_.acts[acted_].at);
  if (!blind_) {
    for (const Asked& asked : asked_) by(asked.due);
  }
  for (const auto& [key, job] : jobs_) {
    if (job.ends) {
      by(*job.ends);
      const Moment end = ToMoment(WhenOf(job).end);
      by(now_.boot + BootSpan{std::max<int64_t>(1, end.milliseconds - now_.wall.milliseconds)});
    } else if (!job.nodes.empty()) {
      const Moment start = ToMoment(job.start);
      by(now_.boot + BootSpan{std::max<int64_t>(1, start.milliseconds - now_.wall.milliseconds)});
    }
  }
  return next;
}

void Outsiders::Act(const OutsiderAct& act) {
  using Kind = OutsiderAct::Kind;
  switch (act.kind) {
    case Kind::kSubmit:
      jobs_[next_key_++] = {.asks = act.job};
      return;
    case Kind::kCancel:
      for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
        if (!it->second.ends) continue;
        jobs_.erase(it);
        return;
      }
      return;
    case Kind::kNodeDown:
      down_.insert(act.node);
      return;
    case Kind::kNodeUp:
      down_.erase(act.node);
      return;
    case Kind::kTakeWall:
      if (walls_.empty()) return;
      outbox_.push_back(WallLost{.wall = walls_.begin()->first,
                                 .code = schemas::CauseCode::kOperator,
                                 .why = "the operator deleted it"});
      walls_.erase(walls_.begin());
      return;
    case Kind::kRefuse:
      refuses_ = true;
      return;
    case Kind::kBlind:
      if (std::exchange(blind_, true)) return;
      outbox_.push_back(Sight{.blind = true, .why = "it does not answer", .since = now_.wall});
      return;
    case Kind::kSee: {
      if (!std::exchange(blind_, false)) return;
      told_all_ = false;
      for (const Command& command : std::exchange(waits_, {})) {
        if (const auto* put = std::get_if<PutWall>(&command)) Do(*put);
        if (const auto* drop = std::get_if<DropWall>(&command)) Do(*drop);
        if (const auto* all = std::get_if<Reconcile>(&command)) Do(*all);
      }
      sees_again_ = true;
      return;
    }
  }
}

void Outsiders::EndJobs() {
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    Job& job = it->second;
    if (job.ends && *job.ends <= now_.boot) {
      it = jobs_.erase(it);
      continue;
    }
    if (job.ends && ToMoment(WhenOf(job).end) <= now_.wall) job.looked = now_.boot;
    ++it;
  }
}

// When it is there, as its users can tell.
Interval Outsiders::WhenOf(const Job& job) const {
  Instant end = job.start + job.asks.limit;
  if (job.looked != BootInstant{}) end = std::max(end, WallAt(job.looked).Ceiling() + kRolls);
  return {job.start, end};
}

std::map<std::string, ResourceSet> Outsiders::OnNodes(const schemas::PartPlace& place,
                                                      const ResourceSet& jobwide) const {
  std::map<std::string, ResourceSet> out;
  for (const auto& [name, amount] : jobwide.entries()) {
    if (settings_.jobwide.Get(name) > 0) out[kWholeMachine].Set(name, amount);
  }
  for (const schemas::ChunkPlace& chunk : place.chunks) out[chunk.node] += chunk.resources;
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    if (chunk.resources.empty()) out[chunk.node] = Has(chunk.node);
  }
  return out;
}

std::vector<Outsiders::Taken> Outsiders::TakenNow(const std::set<std::string>& without) const {
  std::vector<Taken> out;
  for (const auto& [key, job] : jobs_) {
    if (!job.ends) continue;
    for (const std::string& node : job.nodes) out.push_back({node, job.asks.each, WhenOf(job)});
    out.push_back({kWholeMachine, job.asks.jobwide, WhenOf(job)});
  }
  for (const auto& [name, wall] : walls_) {
    if (without.contains(name)) continue;
    out.push_back({kWholeMachine, wall.jobwide, wall.when});
    for (const schemas::PartPlace& place : wall.places) {
      for (const auto& [node, amounts] : OnNodes(place, {})) {
        out.push_back({node, amounts, wall.when});
      }
    }
  }
  return out;
}

bool Outsiders::Fits(const std::string& node, const ResourceSet& amounts, const Interval& when,
                     const std::vector<Taken>& taken) const {
  if (amounts.empty()) return true;
  const OutsiderNode* found = Find(node);
  if (found == nullptr || found->commons) return false;
  // The most that is taken at once: it rises only where something begins.
  std::vector<Instant> at = {when.begin};
  for (const Taken& one : taken) {
    if (one.node == node && Overlap(one.when, when))
      at.push_back(std::max(one.when.begin, when.begin));
  }
  return std::all_of(at.begin(), at.end(), [&](Instant t) {
    ResourceSet sum = amounts;
    for (const Taken& one : taken) {
      if (one.node == node && one.when.begin <= t && t < one.when.end) sum += one.amounts;
    }
    return sum.FitsIn(found->resources);
  });
}

// A wall changes under its name only if it stands afterwards.
void Outsiders::Answer(const Asked& asked) {
  const PutWall& put = asked.put;
  std::string why;
  if (std::exchange(refuses_, false)) why = "the operator wants no more of them";
  std::set<std::string> shares(put.beside.begin(), put.beside.end());
  shares.insert(put.wall);
  const std::vector<Taken> taken = TakenNow(shares);
  if (!Fits(kWholeMachine, put.jobwide, put.when, taken)) why = "others have licences of it";
  for (const schemas::PartPlace& place : put.places) {
    for (const auto& [node, amounts] : OnNodes(place, {})) {
      if (InCommons(node)) continue;
      if (down_.contains(node)) why = node + " is down";
      if (!Fits(node, amounts, put.when, taken)) why = "somebody else is on " + node;
    }
  }
  if (why.empty()) walls_[put.wall] = put;
  if (!asked.heard) return;
  if (why.empty()) {
    outbox_.push_back(WallStands{.wall = put.wall, .serial = put.serial});
  } else {
    outbox_.push_back(
        WallRefused{.wall = put.wall, .serial = put.serial, .why = std::move(why), .again = true});
  }
}

void Outsiders::Do(const PutWall& command) {
  if (blind_) return waits_.push_back(command);
  asked_.push_back({.due = now_.boot + settings_.wall_takes, .put = command});
}

void Outsiders::Do(const DropWall& command) {
  if (blind_) return waits_.push_back(command);
  std::erase_if(asked_, [&](const Asked& asked) { return asked.put.wall == command.wall; });
  walls_.erase(command.wall);
}

void Outsiders::Do(const Reconcile& command) {
  if (blind_) return waits_.push_back(command);
  std::set<std::string> known;
  for (const PutWall& wall : command.walls) known.insert(wall.wall);
  asked_.clear();  // of a core before this
  std::erase_if(walls_, [&](const auto& wall) { return !known.contains(wall.first); });
  for (const PutWall& wall : command.walls) {
    const auto stands = walls_.find(wall.wall);
    const bool right = stands != walls_.end() && IsAsAsked(stands->second.when, wall.when) &&
                       stands->second.places == wall.places &&
                       stands->second.jobwide == wall.jobwide;
    if (right) {
      outbox_.push_back(WallStands{.wall = wall.wall, .serial = wall.serial});
    } else {
      Do(wall);
    }
  }
  told_all_ = false;
}

// One that has begun may have begun at any time.
bool Outsiders::IsAsAsked(const Interval& stands, const Interval& asked) const {
  const Instant now = now_.wall.Floor();
  const bool begun = stands.begin <= now && asked.begin <= now;
  return stands.end == asked.end && (begun || stands.begin == asked.begin);
}

void Outsiders::CrashDaemon() {
  outbox_.clear();
  for (Asked& asked : asked_) asked.heard = false;
  std::erase_if(waits_,
                [](const Command& command) { return std::holds_alternative<Reconcile>(command); });
  told_all_ = false;
}

void Outsiders::Settle() {
  acted_ = settings_.acts.size();
  for (auto& [key, job] : jobs_) {
    if (!job.ends) continue;
    const Moment end = ToMoment(WhenOf(job).end);
    job.ends =
        now_.boot + BootSpan{std::max<int64_t>(0, end.milliseconds - now_.wall.milliseconds)};
  }
}

void Outsiders::Plan() {
  std::vector<Taken> taken = TakenNow({});
  const Instant now = now_.wall.Ceiling();
  for (const auto& [node, amounts] : ours_) taken.push_back({node, amounts, {now, kFarFuture}});
  for (auto& [key, job] : jobs_) {
    if (job.ends) continue;
    std::vector<Instant> starts = {now};
    for (const Taken& one : taken) {
      if (one.when.end > now && one.when.end < kFarFuture) starts.push_back(one.when.end);
    }
    std::sort(starts.begin(), starts.end());
    job.nodes.clear();
    for (const Instant start : starts) {
      const Interval when{start, start + job.asks.limit};
      if (!Fits(kWholeMachine, job.asks.jobwide, when, taken)) continue;
      std::vector<std::string> nodes;
      for (const OutsiderNode& node : settings_.nodes) {
        if (nodes.size() == job.asks.nodes) break;
        if (down_.contains(node.name)) continue;
        if (Fits(node.name, job.asks.each, when, taken)) nodes.push_back(node.name);
      }
      if (nodes.size() < job.asks.nodes) continue;
      job.nodes = std::move(nodes);
      job.start = start;
      break;
    }
    const bool starts_now = !job.nodes.empty() && ToMoment(job.start) <= now_.wall;
    if (starts_now) job.ends = now_.boot + job.asks.runs;
    for (const std::string& node : job.nodes) taken.push_back({node, job.asks.each, WhenOf(job)});
    if (!job.nodes.empty()) taken.push_back({kWholeMachine, job.asks.jobwide, WhenOf(job)});
  }
}

std::map<uint64_t, OutsideBooking> Outsiders::Bookings() const {
  std::map<uint64_t, OutsideBooking> out;
  for (const auto& [key, job] : jobs_) {
    if (job.nodes.empty()) continue;
    OutsideBooking& booking = out[key];
    booking = {.key = key,
               .label = "outside " + std::to_string(key) + " " + job.asks.user,
               .user = job.asks.user,
               .when = WhenOf(job),
               .running = job.ends.has_value(),
               .soft = !job.ends};
    for (const std::string& node : job.nodes) booking.chunks.push_back({node, job.asks.each});
    if (job.ends) booking.jobwide = job.asks.jobwide;
  }
  return out;
}

OutsideNode Outsiders::NodeToTell(const std::string& name) const {
  OutsideNode out{.node = name, .commons = InCommons(name)};
  if (!down_.contains(name)) return out;
  out.usable = false;
  out.code = schemas::CauseCode::kNodeLost;
  out.why = "it does not respond";
  return out;
}

void Outsiders::Tell() {
  if (blind_) return;
  Outside news{.whole = !told_all_, .at = now_.wall};
  if (news.whole) {
    told_.clear();
    told_nodes_.clear();
  }
  std::map<uint64_t, OutsideBooking> bookings = Bookings();
  for (const auto& [key, booking] : bookings) {
    const auto told = told_.find(key);
    if (told == told_.end() || told->second != booking) news.set.push_back(booking);
  }
  for (const auto& [key, booking] : told_) {
    if (!bookings.contains(key)) news.gone.push_back(key);
  }
  for (const OutsiderNode& node : settings_.nodes) {
    OutsideNode now = NodeToTell(node.name);
    const auto told = told_nodes_.find(node.name);
    if (told != told_nodes_.end() && told->second == now) continue;
    news.nodes.push_back(now);
    told_nodes_[node.name] = std::move(now);
  }
  told_ = std::move(bookings);
  told_all_ = true;
  const bool anything =
      news.whole || !news.set.empty() || !news.gone.empty() || !news.nodes.empty();
  if (anything) outbox_.push_back(std::move(news));
  if (std::exchange(sees_again_, false)) outbox_.push_back(Sight{.since = now_.wall});
}

ResourceSet Outsiders::TakenOn(const std::string& node) const {
  ResourceSet out;
  for (const auto& [key, job] : jobs_) {
    if (!job.ends) continue;
    if (node == kWholeMachine) out += job.asks.jobwide;
    if (std::find(job.nodes.begin(), job.nodes.end(), node) != job.nodes.end()) {
      out += job.asks.each;
    }
  }
  return out;
}

const OutsiderNode* Outsiders::Find(const std::string& node) const {
  if (node == kWholeMachine) return &whole_;
  const auto is = [&node](const OutsiderNode& one) { return one.name == node; };
  const auto found = std::find_if(settings_.nodes.begin(), settings_.nodes.end(), is);
  return found == settings_.nodes.end() ? nullptr : &*found;
}

ResourceSet Outsiders::Has(const std::string& node) const {
  const OutsiderNode* found = Find(node);
  return found == nullptr ? ResourceSet() : found->resources;
}

bool Outsiders::IsWalled(const std::string& wall, Moment at) const {
  const auto found = walls_.find(wall);
  if (found == walls_.end()) return false;
  const Interval& when = found->second.when;
  return ToMoment(when.begin) <= at && at < ToMoment(when.end);
}

bool Outsiders::InCommons(const std::string& node) const {
  const OutsiderNode* found = Find(node);
  return found != nullptr && found->commons;
}

}  // namespace muster::driver
