// The turn of a keeper: commands, looks and what is due.
#include "site/driver/slurm/keeper.h"

#include <algorithm>
#include <utility>

namespace muster::driver::slurm {
namespace {

constexpr BootSpan kSeenAgain = Milliseconds(5000);  // ends that roll on are told anew
constexpr BootSpan kSweepEvery = Milliseconds(3'600'000);
constexpr BootSpan kStraysAgain = Milliseconds(1000);
constexpr BootSpan kIdle = Milliseconds(1000);
constexpr BootSpan kWaitingAgain = Milliseconds(100);

Moment Plus(Moment at, BootSpan span) { return {at.milliseconds + span.milliseconds}; }

}  // namespace

Keeper::Keeper(const SlurmOptions& options, SeenOptions seen, TokenFolders folders,
               Surroundings surroundings)
    : options_(options),
      folders_(std::move(folders)),
      cluster_(*surroundings.cluster),
      clock_(*surroundings.clock),
      to_(std::move(surroundings)),
      seen_options_(seen),
      seen_(std::move(seen)),
      accounts_(options.accounts),
      opened_(Now()),
      sweep_at_(Plus(Now(), kSweepEvery)) {}

Ground Keeper::GroundNow() const {
  Ground ground{.look = &*look_,
                .commons = CommonsOf(*look_, seen_options_),
                .partitions = options_.partitions,
                .commons_reservations = seen_options_.commons,
                .commons_partitions = seen_options_.commons_partitions};
  return ground;
}

void Keeper::Do(const std::vector<Command>& commands) {
  std::vector<PutWall> puts;
  const auto put_walls = [&] {
    if (!puts.empty()) PutWalls(std::exchange(puts, {}));
  };
  // What is dropped for good makes room first.
  std::set<std::string> put_later;
  for (auto command = commands.rbegin(); command != commands.rend(); ++command) {
    if (const auto* put = std::get_if<PutWall>(&*command)) put_later.insert(put->wall);
    const auto* drop = std::get_if<DropWall>(&*command);
    if (drop != nullptr && !put_later.contains(drop->wall)) Drop(drop->wall);
  }
  for (const Command& command : commands) {
    if (const auto* put = std::get_if<PutWall>(&command)) {
      // A second order for one wall is behind the first.
      if (std::any_of(puts.begin(), puts.end(),
                      [&](const PutWall& other) { return other.wall == put->wall; })) {
        put_walls();
      }
      puts.push_back(*put);
      continue;
    }
    put_walls();
    if (const auto* start = std::get_if<StartPart>(&command)) Start(*start);
    if (const auto* stop = std::get_if<StopPart>(&command)) Stop(*stop);
    if (const auto* limit = std::get_if<LimitPart>(&command)) Limit(*limit);
    if (const auto* forget = std::get_if<ForgetPart>(&command)) Forget(forget->token);
    if (const auto* read = std::get_if<ReadOutput>(&command)) Read(*read);
    const auto* drop = std::get_if<DropWall>(&command);
    if (drop != nullptr && put_later.contains(drop->wall)) Drop(drop->wall);
    if (const auto* reconcile = std::get_if<Reconcile>(&command)) Begin(*reconcile);
    if (const auto* find = std::get_if<FindParts>(&command)) {
      for (const std::string& token : find->tokens) Find(token);
      folders_.RememberUse().IgnoreError();
    }
  }
  put_walls();
}

void Keeper::OnLook(Look fresh) {
  const Moment now = Now();
  const bool was_blind = std::exchange(blind_, false);
  const bool restarted =
      controller_started_ != Instant{} && controller_started_ != fresh.settings.controller_started;
  controller_started_ = fresh.settings.controller_started;
  if (restarted) changed_.clear();  // it may have forgotten what it had done
  KeepWhatIsNewer(fresh);
  if (fresh.has_rows || !look_) {
    look_ = std::move(fresh);
  } else {
    look_->began = fresh.began;
    look_->reread_at = fresh.reread_at;
    look_->at = fresh.at;
    look_->changed = false;
    look_->settings = std::move(fresh.settings);
  }
  const Look& look = *look_;
  if (look.changed || was_blind || now >= seen_at_) {
    seen_at_ = Plus(now, kSeenAgain);
    Outside outside = seen_.Next(look);
    if (outside.whole || !outside.set.empty() || !outside.gone.empty() || !outside.nodes.empty()) {
      to_.say(std::move(outside));
    }
    KillIntruders(look);
  }
  std::map<std::string, const Job*> jobs;  // by token: the one that goes on with it, or any
  bool strays = false;                     // jobs that perhaps nobody needs
  for (const Job& job : look.jobs) {
    const std::string token = TokenOf(job, options_.prefix);
    if (token.empty() || job.state == JobState::kEnded) continue;
    const auto part = parts_.find(token);
    const bool known = part != parts_.end();
    const bool begun = known && ShowsIt(part->second, look);
    const bool other = begun && (job.id != part->second.job || job.state == JobState::kPending);
    strays = strays || (job.state != JobState::kCompleting && (!known || other));
    if (!known) continue;
    const Job*& place = jobs[token];
    if (place == nullptr || job.id == part->second.job) place = &job;
  }
  std::vector<std::string> tokens;
  for (const auto& [token, part] : parts_) tokens.push_back(token);
  for (const std::string& token : tokens) {
    const auto part = parts_.find(token);
    if (part == parts_.end() || part->second.stage == Stage::kHandingOver) continue;
    if (const auto job = jobs.find(token); job != jobs.end()) {
      OnJob(part->second, *job->second, now);
    } else if (look.began > part->second.acknowledged) {
      OnGone(part->second, look, now);
    }
  }
  if (strays && now >= strays_at_) {
    strays_at_ = Plus(now, kStraysAgain);
    settle_soon_ = true;
  }
  if (was_blind || restarted || settle_soon_ || now >= settle_at_) SettleNow();
  AdmitNow();
}

Moment Keeper::Tick() {
  const Moment now = Now();
  Moment next = Plus(now, kIdle);
  std::vector<std::string> tokens;
  for (const auto& [token, part] : parts_) tokens.push_back(token);
  for (const std::string& token : tokens) {
    auto at = parts_.find(token);
    if (at == parts_.end()) continue;
    Part& part = at->second;
    if (part.again_at) {
      if (*part.again_at <= now) {
        const auto marks = folders_.Read(token);
        HandOverNow(part, !marks.ok() || !marks->exists);
      } else {
        next = std::min(next, *part.again_at);
      }
      continue;
    }
    if (part.stage == Stage::kHandingOver) continue;
    if (part.look_at <= now) {
      if (ReadMarks(part, now)) continue;
      if (part.stop && part.stage != Stage::kRunning && StopBeforeStart(part)) continue;
      AssumeRunning(part, now);
    }
    if (part.stop && part.stage == Stage::kRunning && (!part.signal_at || *part.signal_at <= now)) {
      SignalStop(part, now);
    }
    next = std::min(next, part.look_at);
    if (part.signal_at) next = std::min(next, *part.signal_at);
  }
  DropDue(now);
  PutWaiting();
  if (!waiting_.empty()) next = std::min(next, Plus(now, kWaitingAgain));
  if (now >= sweep_at_) {
    sweep_at_ = Plus(now, kSweepEvery);
    folders_.Sweep(now.Floor(), options_.output_keep);
  }
  return next;
}

}  // namespace muster::driver::slurm
