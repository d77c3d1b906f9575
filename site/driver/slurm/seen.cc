// A job's key is its id with its submit time, as ids are given out again; a reservation's its name
// with the number of its recurrence.
#include "site/driver/slurm/seen.h"

#include <algorithm>
#include <ctime>

#include "site/driver/slurm/shapes.h"

namespace muster::driver::slurm {
namespace {

constexpr uint64_t kReservationBit = uint64_t{1} << 61;
constexpr int kIdBits = 26;      // MAX_JOB_ID of slurm.h
constexpr int kSubmitBits = 35;  // seconds of a thousand years
constexpr int kRecurrenceBits = 7;

uint64_t KeyOf(const Job& job) {
  const auto submitted = static_cast<uint64_t>(job.submitted.seconds);
  return (submitted & ((uint64_t{1} << kSubmitBits) - 1)) << kIdBits |
         (job.id & ((uint64_t{1} << kIdBits) - 1));
}

// FNV-1a of the name.
uint64_t KeyOf(const Reservation& reservation, int recurrence) {
  uint64_t hash = 14695981039346656037u;
  for (const unsigned char c : reservation.name) hash = (hash ^ c) * 1099511628211u;
  const uint64_t name = hash & ((uint64_t{1} << (61 - kRecurrenceBits)) - 1);
  return kReservationBit | name << kRecurrenceBits | static_cast<uint64_t>(recurrence);
}

schemas::ChunkPlace ChunkOf(const JobNode& node) {
  schemas::ChunkPlace chunk{.node = node.node};
  chunk.resources.Set("ncpus", node.cpus);
  chunk.resources.Set("mem", node.memory);
  chunk.resources.Set("ngpus", node.gpus);
  return chunk;
}

ResourceSet ResourcesOf(const Node& node) {
  ResourceSet resources;
  resources.Set("ncpus", node.cpus);
  resources.Set("mem", node.memory);
  resources.Set("ngpus", node.gpus);
  return resources;
}

constexpr int64_t kDay = 86400;

// Day of the week, from Sunday, in the zone of this process, which is the cluster's.
int WeekdayOf(Instant at) {
  const time_t seconds = at.seconds;
  tm local{};
  localtime_r(&seconds, &local);
  return local.tm_wday;
}

// The `times`-th time after this one by the clock on the wall, which Slurm goes by.
Instant Later(Instant at, Span period, int times) {
  const int64_t days = period.seconds / kDay;
  if (days == 0) return at + Span{period.seconds * times};
  const time_t seconds = at.seconds;
  tm local{};
  localtime_r(&seconds, &local);
  local.tm_mday += static_cast<int>(days * times);
  local.tm_isdst = -1;
  return Instant{mktime(&local)};
}

bool Happens(const Reservation& reservation, Instant begin) {
  const int day = WeekdayOf(begin);
  const bool weekend = day == 0 || day == 6;
  if (reservation.weekdays_only) return !weekend;
  if (reservation.weekends_only) return weekend;
  return true;
}

bool IsOwn(const Partition& partition, const SeenOptions& options) {
  const bool named = options.partitions.contains(partition.name) ||
                     options.commons_partitions.contains(partition.name);
  return named || (options.partitions.empty() && partition.up && !partition.root_only);
}

std::set<std::string> OwnNodes(const Look& look, const SeenOptions& options) {
  std::set<std::string> nodes;
  for (const Partition& partition : look.partitions) {
    if (IsOwn(partition, options)) nodes.insert(partition.nodes.begin(), partition.nodes.end());
  }
  return nodes;
}

// The partitions that start jobs and by which the node is the site's.
std::vector<const Partition*> OpenFor(const std::string& node, const Look& look,
                                      const SeenOptions& options) {
  std::vector<const Partition*> out;
  for (const Partition& partition : look.partitions) {
    const bool has =
        std::find(partition.nodes.begin(), partition.nodes.end(), node) != partition.nodes.end();
    if (has && partition.up && IsOwn(partition, options)) out.push_back(&partition);
  }
  return out;
}

std::string PartitionsOf(const std::string& node, const Look& look) {
  std::string text;
  for (const Partition& partition : look.partitions) {
    if (std::find(partition.nodes.begin(), partition.nodes.end(), node) == partition.nodes.end())
      continue;
    text += (text.empty() ? "" : ", ") + partition.name + (partition.up ? " is up" : " is closed");
  }
  return text.empty() ? "it is in none" : text;
}

// Those of the job beyond what its reservation still keeps, which are taken from there.
Licences BeyondKept(const Job& job, std::map<std::string, Licences>& kept) {
  Licences own = job.licences;
  const auto of = kept.find(job.reservation);
  if (of == kept.end()) return own;
  for (auto& [name, count] : own) {
    int64_t& there = of->second[name];
    const int64_t within = std::min(count, there);
    count -= within;
    there -= within;
  }
  return own;
}

// The longest part by the limits of these partitions: one without a limit is enough for any.
void LimitTime(const std::vector<const Partition*>& open, Span start_ahead, OutsideNode& node) {
  const Partition* longest = nullptr;
  for (const Partition* partition : open) {
    if (!partition->most_time) return;
    if (longest == nullptr || *longest->most_time < *partition->most_time) longest = partition;
  }
  if (longest == nullptr) return;
  // At least a second, as 0 is no limit.
  node.most_time = std::max(Span{1}, LongestPart(*longest->most_time, start_ahead));
  node.limited_by = "MaxTime of partition " + longest->name;
}

}  // namespace

std::string TokenOf(const Job& job, const std::string& prefix) {
  if (!job.name.starts_with(prefix)) return "";
  return job.name.substr(prefix.size());
}

bool IsOwnWall(const Reservation& reservation, const std::string& prefix) {
  return reservation.name.starts_with(prefix);
}

std::vector<NodeFact> FactsOf(const Look& look, const SeenOptions& options,
                              const std::vector<NodeFact>& before) {
  std::set<std::string> own = OwnNodes(look, options);
  std::set<std::string> told;
  for (const NodeFact& node : before) told.insert(node.name);
  for (const Partition& partition : look.partitions) {
    if (partition.root_only || !options.partitions.empty()) continue;
    for (const std::string& node : partition.nodes) {
      if (told.contains(node)) own.insert(node);
    }
  }
  std::vector<NodeFact> facts;
  for (const Node& node : look.nodes) {
    if (!own.contains(node.name)) continue;
    NodeFact fact{.name = node.name, .resources = ResourcesOf(node)};
    if (!node.architecture.empty()) fact.properties["arch"] = node.architecture;
    for (const std::string& feature : node.features) {
      const size_t equals = feature.find('=');
      if (equals == std::string::npos) {
        fact.properties[feature] = "true";
      } else {
        fact.properties[feature.substr(0, equals)] = feature.substr(equals + 1);
      }
    }
    facts.push_back(std::move(fact));
  }
  return facts;
}

ResourceSet JobwideFacts(const Look& look, const SeenOptions& options) {
  if (!options.only_commons) return JobwideOf(look.settings.licences);
  Licences kept;
  for (const Reservation& reservation : look.reservations) {
    if (!options.commons.contains(reservation.name)) continue;
    for (const auto& [name, count] : reservation.licences) kept[name] += count;
  }
  return JobwideOf(kept);
}

std::set<std::string> CommonsOf(const Look& look, const SeenOptions& options) {
  std::set<std::string> nodes;
  for (const Reservation& reservation : look.reservations) {
    if (!options.commons.contains(reservation.name)) continue;
    if (reservation.when.begin > look.at.Floor() || reservation.when.end <= look.at.Floor())
      continue;
    for (const ReservedNode& node : reservation.nodes) {
      if (node.cores == 0) nodes.insert(node.node);
    }
  }
  for (const Partition& partition : look.partitions) {
    if (!options.commons_partitions.contains(partition.name) || !partition.up) continue;
    nodes.insert(partition.nodes.begin(), partition.nodes.end());
  }
  return nodes;
}

bool IsOfCheck(const Job& job) { return job.user == "root" && job.name.starts_with(kCheckPrefix); }

bool IsIntruder(const Job& job, const SeenOptions& options) {
  if (job.state == JobState::kEnded || job.state == JobState::kCompleting) return false;
  if (!TokenOf(job, options.prefix).empty() || IsOfCheck(job)) return false;
  return options.commons.contains(job.reservation) ||
         options.commons_partitions.contains(job.partition);
}

std::vector<const Job*> Intruders(const Look& look, const SeenOptions& options) {
  std::vector<const Job*> jobs;
  for (const Job& job : look.jobs) {
    if (IsIntruder(job, options)) jobs.push_back(&job);
  }
  return jobs;
}

// The end told before, as long as it is not near: so that a job beyond its limit is not told at
// each look.
Instant Seen::EndOf(uint64_t key, Instant end, Instant now) const {
  if (end > now) return end;
  const auto told = bookings_.find(key);
  const Instant near = now + Span{kRolling.seconds / 3};
  if (told != bookings_.end() && told->second.when.end > near) return told->second.when.end;
  return now + kRolling;
}

void Seen::AddJob(const Job& job, const Look& look, Kept& kept, Bookings& bookings) const {
  if (job.state == JobState::kEnded || job.nodes.empty()) return;
  if (!TokenOf(job, options_.prefix).empty()) return;
  const bool pending = job.state == JobState::kPending;
  if (pending && (!options_.respect_pending || job.start.seconds == 0)) return;
  const uint64_t key = KeyOf(job);
  const Instant now = look.at.Floor();
  OutsideBooking booking{.key = key,
                         .label = "slurm " + std::to_string(job.id) + " " + job.user,
                         .user = job.user,
                         .whole_nodes = job.whole_nodes,
                         .running = !pending,
                         .soft = pending};
  for (const JobNode& node : job.nodes) booking.chunks.push_back(ChunkOf(node));
  if (!pending && !options_.only_commons) booking.jobwide = JobwideOf(BeyondKept(job, kept));
  const Instant end = job.limit ? job.start + *job.limit : kFarFuture;
  // What completes is beyond its end, wherever its limit was.
  const bool completing = job.state == JobState::kCompleting;
  booking.when = {job.start, pending ? end : EndOf(key, completing ? now : end, now)};
  if (booking.when.begin >= booking.when.end) booking.when.begin = booking.when.end - Span{1};
  bookings[key] = std::move(booking);
}

void Seen::AddReservation(const Reservation& reservation, const Look& look,
                          Bookings& bookings) const {
  const bool empty = reservation.nodes.empty() && reservation.licences.empty();
  if (empty || IsOwnWall(reservation, options_.prefix)) return;
  if (options_.commons.contains(reservation.name)) return;
  OutsideBooking booking{.label = "reservation " + reservation.name, .reserved = true};
  if (!options_.only_commons) booking.jobwide = JobwideOf(reservation.licences);
  std::map<std::string, const Node*> nodes;
  for (const Node& node : look.nodes) nodes[node.name] = &node;
  for (const ReservedNode& part : reservation.nodes) {
    const auto node = nodes.find(part.node);
    if (node == nodes.end()) continue;
    if (part.cores == 0) booking.whole_nodes = true;
    schemas::ChunkPlace chunk{.node = part.node, .resources = ResourcesOf(*node->second)};
    if (part.cores > 0) {
      chunk.resources = {};
      chunk.resources.Set("ncpus", part.cores * node->second->threads_per_core);
    }
    booking.chunks.push_back(std::move(chunk));
  }
  const Instant now = look.at.Floor();
  for (int i = 0; i < kRecurrences; ++i) {
    const Interval when{Later(reservation.when.begin, reservation.recurs, i),
                        Later(reservation.when.end, reservation.recurs, i)};
    if (when.begin > now + kRecurringHorizon && i > 0) break;
    if (when.end > now && when.begin < when.end && (i == 0 || Happens(reservation, when.begin))) {
      booking.key = KeyOf(reservation, i);
      booking.when = when;
      bookings[booking.key] = booking;
    }
    if (reservation.recurs.seconds == 0) break;
  }
}

Seen::Bookings Seen::BookingsOf(const Look& look) const {
  Bookings bookings;
  Kept kept;
  for (const Reservation& reservation : look.reservations) {
    if (!reservation.licences.empty()) kept[reservation.name] = reservation.licences;
  }
  for (const Job& job : look.jobs) AddJob(job, look, kept, bookings);
  for (const Reservation& reservation : look.reservations) {
    AddReservation(reservation, look, bookings);
  }
  // What touches no node of the site is nothing to it.
  const std::set<std::string> own = OwnNodes(look, options_);
  std::erase_if(bookings, [&](const auto& entry) {
    const auto& chunks = entry.second.chunks;
    return entry.second.jobwide.empty() &&
           std::none_of(chunks.begin(), chunks.end(),
                        [&](const schemas::ChunkPlace& chunk) { return own.contains(chunk.node); });
  });
  return bookings;
}

std::map<std::string, OutsideNode> Seen::NodesOf(const Look& look) const {
  const std::set<std::string> own = OwnNodes(look, options_);
  const std::set<std::string> commons = CommonsOf(look, options_);
  std::map<std::string, OutsideNode> nodes;
  for (const Node& from : look.nodes) {
    // A node that left its partition was told before: it is not usable any more.
    if (!own.contains(from.name) && !nodes_.contains(from.name)) continue;
    OutsideNode node{.node = from.name, .commons = commons.contains(from.name)};
    const std::vector<const Partition*> open = OpenFor(from.name, look, options_);
    LimitTime(open, options_.start_ahead.value_or(StartAheadOf(look.settings.scheduler_parameters)),
              node);
    if (from.state == NodeState::kDown) {
      node.code = schemas::CauseCode::kNodeLost;
      node.why = from.why.empty() ? "down" : "down: " + from.why;
    } else if (from.state == NodeState::kDrained) {
      node.code = schemas::CauseCode::kOperator;
      node.why = from.why.empty() ? "drained" : "drained: " + from.why;
    } else if (open.empty()) {
      node.code = schemas::CauseCode::kOperator;
      node.why = "no partition starts jobs there: " + PartitionsOf(from.name, look);
    } else if (options_.only_commons && !node.commons) {
      node.code = schemas::CauseCode::kOperator;
      node.why = "not in the commons";
    }
    node.usable = node.code == schemas::CauseCode::kNone;
    nodes[from.name] = std::move(node);
  }
  for (const auto& [name, before] : nodes_) {
    if (nodes.contains(name)) continue;
    nodes[name] = {.node = name,
                   .usable = false,
                   .code = schemas::CauseCode::kOperator,
                   .why = "the cluster knows it no more"};
  }
  return nodes;
}

Outside Seen::Next(const Look& look) {
  Outside outside{.whole = !told_, .at = look.at};
  Bookings bookings = BookingsOf(look);
  std::map<std::string, OutsideNode> nodes = NodesOf(look);
  for (const auto& [key, booking] : bookings) {
    const auto before = bookings_.find(key);
    if (!told_ || before == bookings_.end() || before->second != booking) {
      outside.set.push_back(booking);
    }
  }
  for (const auto& [key, booking] : bookings_) {
    if (told_ && !bookings.contains(key)) outside.gone.push_back(key);
  }
  for (const auto& [name, node] : nodes) {
    const auto before = nodes_.find(name);
    if (!told_ || before == nodes_.end() || before->second != node) outside.nodes.push_back(node);
  }
  told_ = true;
  bookings_ = std::move(bookings);
  nodes_ = std::move(nodes);
  return outside;
}

void Seen::Forget() {
  told_ = false;
  bookings_.clear();
}

}  // namespace muster::driver::slurm
