// At equal instants job ends come first, then arrivals, then timers. A job's real run time is in
// its payload, where the simulated machine reads it.
#include "sim/replay/site_replay.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "sim/checkers/checker.h"
#include "sim/replay/replay_limits.h"
#include "site/core.h"
#include "site/driver/simulated/simulated_driver.h"
#include "verifier/ending.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::LocalRecord;

driver::SimulatedFate FateOf(const driver::StartPart& part) {
  driver::SimulatedFate fate;
  fate.runs = Seconds(std::strtoll(part.payload.argv.back().c_str(), nullptr, 10));
  return fate;
}

int64_t Processors(const schemas::PartPlace& place) {
  int64_t sum = 0;
  for (const schemas::ChunkPlace& chunk : place.chunks) sum += chunk.resources.Get("ncpus");
  return sum;
}

class SiteReplay {
 public:
  SiteReplay(site::Options options, const SiteWorkload& workload)
      : options_(std::move(options)),
        workload_(workload),
        machine_(FateOf),
        began_{workload.began * 1000} {
    AddUsers();
    CheckedWorld world{.sites = {options_}};
    checkers_.push_back(CheckPlans(world));
    checkers_.push_back(CheckCapacity(world));
    checkers_.push_back(CheckLocals(world));
    auto core = site::Core::Load(options_, {}, Clocks());
    MUSTER_CHECK(core.ok());
    core_.emplace(*std::move(core));
    machine_.Advance(Clocks());
  }

  ReplayResult Run() {
    size_t at_once = 0;
    while (next_job_ < workload_.jobs.size() || !open_.empty()) {
      const std::optional<BootInstant> next = NextEvent();
      if (!next) {
        result_.violations.push_back(std::to_string(open_.size()) +
                                     " jobs wait and nothing is ever due");
        break;
      }
      at_once = *next > now_ ? 0 : at_once + 1;
      MUSTER_CHECK(at_once < kMostTurnsAtOnce);
      now_ = std::max(*next, now_);
      Turn();
    }
    return Finish();
  }

 private:
  struct Job {
    const ReplayJob* replayed = nullptr;
    std::optional<Instant> promised;      // first promise
    std::optional<schemas::Cause> later;  // cause of the last move to a later start
    std::optional<Moment> started;
  };
  struct Booked {
    Instant start;
    std::vector<schemas::PartPlace> places;
    size_t ended = 0;
    bool operator==(const Booked&) const = default;
  };

  Moment Wall() const { return {began_.milliseconds + (now_ - kReplayBegin).milliseconds}; }
  Now Clocks() const { return {now_, Wall()}; }

  void AddUsers() {
    std::map<std::string, std::set<std::string>> groups;
    for (const ReplayJob& job : workload_.jobs) groups[job.user].insert(job.group);
    for (const auto& [user, of] : groups)
      options_.users.push_back({user, false, {of.begin(), of.end()}});
  }

  std::optional<BootInstant> NextEvent() const {
    std::optional<BootInstant> next = core_next_;
    const auto consider = [&](std::optional<BootInstant> at) {
      if (at) next = next ? std::min(*next, *at) : *at;
    };
    consider(machine_.Next());
    if (machine_.HasEvents()) consider(now_);
    if (next_job_ < workload_.jobs.size()) {
      consider(kReplayBegin + ToBootSpan(workload_.jobs[next_job_].arrives));
    }
    return next;
  }

  void Turn() {
    machine_.Advance(Clocks());
    std::vector<site::Event> events;
    for (driver::Event& event : machine_.Take()) {
      if (const auto* started = std::get_if<driver::PartStarted>(&event)) {
        for (auto& checker : checkers_) {
          checker->OnPartStarted(started->at, options_.name, started->token);
        }
      } else if (const auto* ended = std::get_if<driver::PartEnded>(&event)) {
        for (auto& checker : checkers_) checker->OnPartGone(ended->at, options_.name, ended->token);
      }
      events.push_back(site::DriverSays{std::move(event)});
    }
    while (next_job_ < workload_.jobs.size() &&
           kReplayBegin + ToBootSpan(workload_.jobs[next_job_].arrives) <= now_) {
      events.push_back(Submission(next_job_++));
    }
    const site::Effects effects = core_->Step(Clocks(), events);
    ++result_.turns;
    core_next_ = effects.next;
    Wrote(effects.writes);
    for (const site::ClientAnswer& answer : effects.to_clients) Told(answer.message);
    for (const driver::Command& command : effects.driver) machine_.Do(command);
  }

  site::ClientSays Submission(size_t index) {
    const ReplayJob& job = workload_.jobs[index];
    schemas::ClientMessage message{.number = {index + 1}};
    schemas::Submit submit{.key = {.text = std::to_string(index)}, .request = job.spec};
    submit.request.payload.argv = {"replay", std::to_string(job.runs.seconds)};
    message.body = std::move(submit);
    ++result_.submitted;
    return {.user = job.user, .link = "1", .message = std::move(message)};
  }

  void Told(const schemas::ToClient& told) {
    for (auto& checker : checkers_) checker->OnLocalTold(Wall(), options_.name, told);
    const auto* refused = std::get_if<schemas::Refused>(&told.body);
    if (refused != nullptr) ++result_.refused[refused->code];
  }

  void Wrote(const SiteWrites& writes) {
    size_t changes = 0;
    for (const auto& write : writes) {
      if (!write.value) continue;
      if (const auto* hold = std::get_if<HoldRecord>(&*write.value)) {
        changes += Changed(*hold) ? 1 : 0;
      } else if (const auto* job = std::get_if<LocalRecord>(&*write.value)) {
        Wrote(*job);
      }
    }
    for (auto& checker : checkers_) checker->OnSiteWrites(Wall(), options_.name, writes);
    result_.plan_changes += changes;
    result_.checks += changes > 0 ? 1 : 0;
    result_.most_booked = std::max(result_.most_booked, booked_.size());
  }

  bool Changed(const HoldRecord& hold) {
    Job& job = jobs_[hold.order.request.value];
    Booked now{.start = hold.start};
    for (const schemas::PartRecord& part : hold.parts) {
      now.places.push_back(part.place);
      if (part.ended_at) ++now.ended;
      if (part.started_at && !job.started) Started(job, part);
    }
    const auto it = booked_.find(hold.order.fence);
    if (hold.state == schemas::HoldState::kClosed) {
      for (const schemas::PartRecord& part : hold.parts) Used(part);
      if (it == booked_.end()) return false;
      booked_.erase(it);
      return true;
    }
    if (it == booked_.end()) {
      booked_.emplace(hold.order.fence, std::move(now));
      return true;
    }
    if (now.start < it->second.start) ++result_.backfilled;
    if (now.start > it->second.start) job.later = hold.cause;
    if (it->second == now) return false;
    it->second = std::move(now);
    return true;
  }

  void Used(const schemas::PartRecord& part) {
    if (!part.started_at || !part.ended_at) return;
    const int64_t ms = part.ended_at->milliseconds - part.started_at->milliseconds;
    used_s_ += static_cast<double>(ms) / 1000 * static_cast<double>(Processors(part.place));
  }

  void Wrote(const LocalRecord& record) {
    Job& job = jobs_[record.number];
    if (job.replayed == nullptr) {
      job.replayed = &workload_.jobs[std::stoull(record.key.text)];
      open_.insert(record.number);
    }
    if (!job.promised && !record.history.empty() && record.history.front().figures.starts_by) {
      job.promised = record.history.front().figures.starts_by->at;
    }
    if (record.state != schemas::RequestState::kEnded || open_.erase(record.number) == 0) return;
    ++result_.ended;
    constexpr const char* kNames[] = {"done", "failed", "timeout", "cancelled", "refused", "lost"};
    ++result_.outcomes[record.outcome ? kNames[static_cast<size_t>(*record.outcome)] : "none"];
  }

  void Started(Job& job, const schemas::PartRecord& part) {
    job.started = part.started_at;
    ++result_.started;
    to_judge_.push_back(&job);
  }

  // Compares a start with its first promise. Runs at the end, when the promise is known too.
  void Judge(const Job& job) {
    const Instant start = job.started->Floor();
    const int64_t waited = (start - (began_.Floor() + job.replayed->arrives)).seconds;
    result_.waited_sum_s += waited;
    result_.waited_most_s = std::max(result_.waited_most_s, waited);
    if (!job.promised) {
      result_.violations.push_back("job " + std::to_string(job.replayed->number) +
                                   " started without a promise");
      return;
    }
    const int64_t early = (*job.promised - start).seconds;
    if (early < 0) {
      ++result_.late[job.later ? verifier::CauseText(*job.later) : "none"];
      if (!job.later) {
        result_.violations.push_back("job " + std::to_string(job.replayed->number) + " started " +
                                     std::to_string(-early) + " s after its promise, no cause");
      }
      return;
    }
    ++result_.kept;
    if (early == 0) return;
    ++result_.earlier;
    result_.earlier_sum_s += early;
    result_.earlier_most_s = std::max(result_.earlier_most_s, early);
  }

  ReplayResult Finish() {
    for (const Job* job : to_judge_) Judge(*job);
    for (auto& checker : checkers_) {
      checker->AtEnd(Wall(), true);
      result_.violations.insert(result_.violations.end(), checker->violations().begin(),
                                checker->violations().end());
    }
    if (result_.violations.size() > kViolationsKept) result_.violations.resize(kViolationsKept);
    result_.lasted = now_ - kReplayBegin;
    double processors = 0;
    for (const site::Node& node : options_.nodes) {
      processors += static_cast<double>(node.resources.Get("ncpus"));
    }
    const double seconds = static_cast<double>(result_.lasted.milliseconds) / 1000;
    if (processors * seconds > 0) result_.utilisation = used_s_ / (processors * seconds);
    return std::move(result_);
  }

  site::Options options_;
  const SiteWorkload& workload_;
  driver::SimulatedMachine machine_;
  Moment began_;
  BootInstant now_ = kReplayBegin;
  std::optional<site::Core> core_;
  std::optional<BootInstant> core_next_ = kReplayBegin;
  std::vector<std::unique_ptr<Checker>> checkers_;
  size_t next_job_ = 0;
  std::map<uint64_t, Job> jobs_;  // by local number; a map, since pointers to its elements are kept
  std::set<uint64_t> open_;
  std::map<Fence, Booked> booked_;
  std::vector<const Job*> to_judge_;
  double used_s_ = 0;
  ReplayResult result_;
};

}  // namespace

ReplayResult ReplayAtSite(site::Options site, const SiteWorkload& workload) {
  return SiteReplay(std::move(site), workload).Run();
}

}  // namespace muster::sim
