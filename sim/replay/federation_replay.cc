// At equal instants job ends come first, then cancellations, arrivals, and timers last. A job's
// real run time is in its payload, where the simulated machine reads it.
#include "sim/replay/federation_replay.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "sim/replay/ideal_federation.h"
#include "sim/replay/node_speeds.h"
#include "sim/replay/replay_limits.h"
#include "verifier/ending.h"

namespace muster::sim {
namespace {

constexpr size_t kProgressEvery = 256;  // jobs
constexpr Span kAtOnce{60};             // a job promised to start within this does not wait
constexpr uint64_t kFirstAct = uint64_t{1} << 40;  // number of a message, above all others
constexpr char kPooled[] = "pooled";  // behind the arguments of a job that is not balanced

size_t NumberOf(const std::string& text) {
  size_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// The chunks of a job: one chunk per processor if some site has one-processor nodes; else one chunk
// with all processors.
schemas::Chunk ChunkOf(int64_t processors, int64_t times, const std::vector<ReplaySite>& sites) {
  if (times > 1) {
    const auto least = static_cast<uint32_t>(processors);
    return {.count = least,
            .resources = {{"ncpus", 1}},
            .least = least,
            .most = static_cast<uint32_t>(processors * times)};
  }
  const bool one_by_one = std::any_of(sites.begin(), sites.end(),
                                      [](const ReplaySite& site) { return site.one_by_one; });
  if (!one_by_one) return {.count = 1, .resources = {{"ncpus", processors}}};
  return {.count = static_cast<uint32_t>(processors), .resources = {{"ncpus", 1}}};
}

// The index of the part, from its name: "42.2" is index 1.
size_t PartOf(const driver::StartPart& part) {
  return NumberOf(part.part_name.substr(part.part_name.rfind('.') + 1)) - 1;
}

size_t AllProcessors(const std::vector<ReplaySite>& sites) {
  int64_t sum = 0;
  for (const ReplaySite& site : sites) sum += site.processors;
  return static_cast<size_t>(sum);
}

bool SaveTheirWork(const meta::Options& meta) {
  return std::any_of(meta.credentials.qos.begin(), meta.credentials.qos.end(),
                     [](const policy::Qos& qos) {
                       return qos.name == kRecallable && qos.recall &&
                              qos.recall->way == policy::Recall::kCheckpoint;
                     });
}

// The real fate of a part.
struct Fates {
  uint64_t seed = 1;
  BootSpan start_delay_most;
  std::shared_ptr<const NodeSpeeds> speeds;
  bool saves = false;  // jobs save their work when they are recalled
  size_t jobs = 0;     // what has this number, or a higher one, is a filler
  bool fillers_save = false;

  driver::SimulatedFate operator()(size_t site, const driver::StartPart& part) const {
    driver::SimulatedFate fate;
    const Span runs{static_cast<int64_t>(NumberOf(part.payload.argv[1]))};
    const bool balanced = part.payload.argv.back() != kPooled;
    const auto saved = part.environment.find("MUSTER_SAVED_S");
    const Span done{
        saved == part.environment.end() ? 0 : static_cast<int64_t>(NumberOf(saved->second))};
    fate.runs = speeds->RunTime(site, part.place, std::max(runs - done, Span{1}), balanced);
    const bool filler = JobOfStart(part) >= jobs;
    if (filler ? fillers_save : saves) {
      fate.after_term = ToBootSpan(filler ? kFillerSaves : kTimeToSave);
      fate.term_code = schemas::kSavedStatus;
    }
    fate.start_delay = StartDelay(seed, JobOfStart(part), PartOf(part), start_delay_most);
    return fate;
  }
};

class FederationReplay : public Onlooker {
 public:
  FederationReplay(FederationReplayOptions options, const std::vector<FederationJob>& jobs)
      : options_(std::move(options)),
        jobs_(jobs),
        told_(jobs.size()),
        speeds_(std::make_shared<const NodeSpeeds>(options_.sites)),
        fillers_(options_.fillers, AllProcessors(options_.sites), jobs.size()),
        used_(options_.sites.size()) {
    result_.jobs.resize(jobs.size());
    open_ = jobs.size();
    IdealOptions ideal{.meta = options_.meta,
                       .fate_of = Fates{options_.meta.seed, options_.start_delay_most, speeds_,
                                        SaveTheirWork(options_.meta), jobs.size(),
                                        options_.fillers.way == "checkpoint"},
                       .link = options_.link};
    ideal.applications = options_.applications;
    for (const ReplaySite& site : options_.sites) ideal.sites.push_back(site.site);
    NameUsers(ideal.meta);
    // Sites connect before the first job arrives.
    const BootSpan before = options_.link ? Seconds(60) : Seconds(1);
    if (!jobs.empty()) {
      ideal.begins = {ToMoment(jobs.front().submitted).milliseconds - before.milliseconds};
    }
    federation_.emplace(std::move(ideal), this);
  }

  FederationResult Run() {
    size_t at_once = 0;
    while (open_ > 0) {
      const std::optional<Moment> next = NextEvent();
      if (!next) {
        Violation(std::to_string(open_) + " jobs wait and nothing is ever due");
        break;
      }
      at_once = *next > federation_->Wall() ? 0 : at_once + 1;
      MUSTER_CHECK(at_once < kMostTurnsAtOnce);
      federation_->GoTo(*next);
      while (!cancels_.empty() && ToMoment(cancels_.begin()->first) <= *next) {
        const size_t job = cancels_.begin()->second;
        cancels_.erase(cancels_.begin());
        Cancel(job);
      }
      while (next_job_ < jobs_.size() && ToMoment(jobs_[next_job_].submitted) <= *next) {
        Submit(next_job_++);
      }
      for (const size_t filler : fillers_.TakeDue()) SubmitFiller(filler);
      AskForMore();
      federation_->Timers();
    }
    result_.fillers = fillers_.TakeOutcome(federation_->Wall());
    result_.turns = federation_->turns();
    return std::move(result_);
  }

  void OnMetaWrites(const std::vector<schemas::Write<schemas::MetaRecord>>& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* record = std::get_if<schemas::RequestRecord>(&*write.value);
      if (record != nullptr) Wrote(*record);
    }
  }

  void OnTold(const meta::ClientAnswer& answer) override {
    const auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
    if (rows != nullptr && rows->jobs.size() == 1) {
      return TakeEstimate(answer.message.answers.value - FirstGet(), rows->jobs[0].figures);
    }
    const auto* refused = std::get_if<schemas::Refused>(&answer.message.body);
    if (refused == nullptr || answer.message.answers.value > jobs_.size()) return;
    const size_t job = answer.message.answers.value - 1;
    result_.jobs[job].refusal = refused->code + ": " + refused->message;
    Close(job, JobFate::kRefused);
  }

  void OnSearched(const meta::CommonStart& search) override {
    SearchCounts& counts = search.moves ? result_.moves : result_.first;
    ++(search.found ? counts.found : counts.in_vain);
    counts.proved += search.found && search.proved ? 1 : 0;
    counts.messages += search.messages;
    ++counts.rounds[search.rounds];
  }

  void OnStarted(size_t site, const driver::StartPart& command, Moment at) override {
    used_[site] += Processors(command);
    const size_t job = JobOfStart(command);
    if (used_[site] > options_.sites[site].processors) {
      Violation("part " + command.part_name + " started at " + Name(site) + ", where " +
                std::to_string(used_[site]) + " processors run then");
    }
    if (fillers_.Owns(job)) return fillers_.Started(command, at);
    JobOutcome& outcome = result_.jobs[job];
    const Instant start = at.Floor();
    if (!outcome.start) outcome.start = start;
    if (*outcome.start != start) ++result_.started_apart;
    outcome.sites.resize(jobs_[job].parts.size());
    outcome.sites[PartOf(command)] = site;
    outcome.held += speeds_->Held(site, command.place);
  }

  void OnResized(size_t site, const driver::StartPart& command,
                 const schemas::PartPlace& was) override {
    used_[site] += Processors(command) - Processors(was);
    const size_t job = JobOfStart(command);
    result_.jobs[job].grown = true;
    const auto wants = wanting_.find(job);
    if (wants == wanting_.end()) return;
    wants->second.has = Processors(command);
    if (wants->second.has >= wants->second.processors) wanting_.erase(wants);
  }

  void OnWants(size_t site, const driver::StartPart& command, int64_t processors) override {
    const size_t job = JobOfStart(command);
    const int64_t has = Processors(command);
    wanting_.erase(job);
    if (processors > has) wanting_[job] = {.site = site, .processors = processors, .has = has};
  }

  void OnEnded(size_t site, const driver::StartPart& command,
               const driver::PartEnded& ended) override {
    used_[site] -= Processors(command);
    const size_t job = JobOfStart(command);
    wanting_.erase(job);
    for (auto& [other, wants] : wanting_) wants.due = wants.due || wants.site == site;
    if (fillers_.Owns(job)) return fillers_.Gone(command, ended);
    JobOutcome& outcome = result_.jobs[job];
    const bool cancelled = jobs_[job].cancels && *jobs_[job].cancels <= ended.at.Ceiling();
    const bool recalled = ended.end.by == schemas::EndedBy::kRelease && jobs_[job].recallable;
    if (!recalled || cancelled) {
      outcome.cut = ended.end.by == schemas::EndedBy::kWalltime;
      outcome.end = ended.at.Floor();
      return;
    }
    ++outcome.recalls;
    const bool saved = ended.end.exit_code == schemas::kSavedStatus;
    outcome.lost += Processors(command) *
                    (saved ? kTimeToSave.seconds : ended.usage.elapsed.milliseconds / 1000);
    outcome.held -= speeds_->Held(site, command.place);
    outcome.start.reset();
  }

 private:
  // A malleable job that runs and would have more processors. It is refused what is not free now;
  // then it asks again once another part has ended there, once a minute at most.
  struct Wants {
    size_t site = 0;
    int64_t processors = 0;
    int64_t has = 0;
    bool due = true;
    Moment asked;
  };
  struct Told {
    RequestId id;
    size_t figures = 0;  // entries of its history already processed
    std::optional<Instant> starts_by;
  };

  static int64_t Processors(const schemas::PartPlace& place) {
    int64_t sum = 0;
    for (const schemas::ChunkPlace& chunk : place.chunks) sum += chunk.resources.Get("ncpus");
    return sum;
  }
  static int64_t Processors(const driver::StartPart& command) { return Processors(command.place); }

  const std::string& Name(size_t site) const { return options_.sites[site].site.name; }

  // One user of the federation per user and home in the trace.
  std::string UserOf(const FederationJob& job) const {
    return "u" + std::to_string(job.user) + (job.home ? "@" + Name(*job.home) : "");
  }

  void NameUsers(meta::Options& meta) {
    std::map<std::string, meta::User> users;
    std::map<std::string, std::set<std::string>> groups;
    for (const FederationJob& job : jobs_) {
      const std::string name = UserOf(job);
      users[name] = {.name = name, .home = job.home ? Name(*job.home) : ""};
      groups[name].insert("g" + std::to_string(job.group));
    }
    for (auto& [name, user] : users) {
      user.groups.assign(groups[name].begin(), groups[name].end());
      meta.users.push_back(user);
    }
    if (options_.fillers.IsOn()) meta.users.push_back({.name = kFiller});
    meta.open_requests_per_user = jobs_.size() + AllProcessors(options_.sites) + 1;
  }

  std::optional<Moment> NextEvent() const {
    std::optional<Moment> next = federation_->Next();
    const auto consider = [&next](Instant at) {
      next = next ? std::min(*next, ToMoment(at)) : ToMoment(at);
    };
    if (next_job_ < jobs_.size()) consider(jobs_[next_job_].submitted);
    if (!cancels_.empty()) consider(cancels_.begin()->first);
    return next;
  }

  void Submit(size_t index) {
    const FederationJob& job = jobs_[index];
    schemas::Submit submit{.key = {.text = std::to_string(index)}};
    schemas::RequestSpec& spec = submit.request;
    spec = SpecOf(job, options_.sites);
    spec.request_class = options_.classes && job.interactive ? schemas::RequestClass::kInteractive
                                                             : schemas::RequestClass::kBatch;
    spec.queue = options_.meta.queues.front().name;
    spec.payload.argv = {"job", std::to_string(job.runs.seconds), submit.key.text};
    if (!job.balanced) spec.payload.argv.push_back(kPooled);
    if (job.cancels) cancels_.insert({std::max(*job.cancels, job.submitted), index});
    federation_->Say(UserOf(job), {.number = {index + 1}, .body = std::move(submit)});
    if (options_.estimates || options_.forecasts > 0) Estimate(index);
  }

  // By `muster alter`, as its user would: all that it wants, or as much as nobody uses.
  void AskForMore() {
    constexpr int64_t kEvery = 60'000;
    const Moment now = federation_->Wall();
    for (auto& [job, wants] : wanting_) {
      const int64_t idle = options_.sites[wants.site].processors - used_[wants.site];
      if (!wants.due || idle <= 0) continue;
      if (now.milliseconds < wants.asked.milliseconds + kEvery) continue;
      wants.due = false;
      wants.asked = now;
      schemas::Chunk chunk = SpecOf(jobs_[job], options_.sites).parts[0].chunks[0];
      chunk.count = static_cast<uint32_t>(std::min(wants.processors, wants.has + idle));
      schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {told_[job].id}};
      act.changes.emplace().parts = {{.part = 1, .chunks = {chunk}}};
      asking_.push_back({job, std::move(act)});
    }
    // What is told then changes who wants more.
    for (auto& [job, act] : std::exchange(asking_, {})) {
      federation_->Say(UserOf(jobs_[job]), {.number = {kFirstAct + ++acts_}, .body = act});
    }
  }

  void SubmitFiller(size_t number) {
    schemas::Submit submit{.key = {.text = std::to_string(number)}};
    submit.request = fillers_.SpecOf(number, options_.sites);
    submit.request.queue = options_.meta.queues.front().name;
    federation_->Say(kFiller, {.number = {2 * jobs_.size() + number + 1}, .body = submit});
  }

  // Numbers of messages: first submissions, then cancellations, then questions, then fillers.
  uint64_t FirstGet() const { return 2 * jobs_.size() + 1; }

  // Asks for the figures of a job at its submission, as its user would see them. scheduling.md
  // section 10.
  void Estimate(size_t index) {
    const JobOutcome& outcome = result_.jobs[index];
    if (outcome.fate != JobFate::kOpen || outcome.start) return;
    const bool estimate = options_.estimates && !outcome.promise;
    if (!estimate && !IsForecast(outcome)) return;
    federation_->Say(UserOf(jobs_[index]), {.number = {FirstGet() + index},
                                            .body = schemas::Get{.kind = schemas::GetKind::kJob,
                                                                 .requests = {told_[index].id}}});
  }

  // True for each n-th job that waits for longer than what it takes to start one.
  bool IsForecast(const JobOutcome& outcome) {
    if (options_.forecasts == 0) return false;
    const auto by = outcome.promise ? outcome.promise->starts_by : std::nullopt;
    if (by && *by <= federation_->Wall().Floor() + kAtOnce) return false;
    return waiting_++ % options_.forecasts == 0;
  }

  void TakeEstimate(size_t index, const schemas::Figures& figures) {
    ToldFigures& first = result_.jobs[index].first.emplace();
    first.at = federation_->Wall();
    if (figures.starts_by) {
      first.starts_by = figures.starts_by->at;
      first.firm = figures.starts_by->firm;
    }
    if (!figures.expected) return;
    first.expected = figures.expected->start;
    first.low = figures.expected->low;
    first.high = figures.expected->high;
  }

  void Cancel(size_t index) {
    if (result_.jobs[index].fate != JobFate::kOpen || told_[index].id == RequestId{}) return;
    federation_->Say(UserOf(jobs_[index]),
                     {.number = {jobs_.size() + 1 + index},
                      .body = schemas::Cancel{.requests = {told_[index].id}}});
  }

  void Wrote(const schemas::RequestRecord& record) {
    const size_t index = NumberOf(record.key.text);
    if (fillers_.Owns(index)) {
      if (record.state == schemas::RequestState::kEnded) fillers_.Ended(index);
      return;
    }
    Told& told = told_[index];
    told.id = record.id;
    for (; told.figures < record.history.size(); ++told.figures) {
      TakeFigures(index, record.history[told.figures]);
    }
    if (record.state != schemas::RequestState::kEnded) return;
    JobFate fate = JobFate::kEnded;
    if (record.outcome == schemas::Outcome::kCancelled) fate = JobFate::kCancelled;
    if (record.outcome == schemas::Outcome::kRefused) {
      fate = JobFate::kRefused;
      result_.jobs[index].refusal = record.reason ? record.reason->text : "refused";
    }
    Close(index, fate);
  }

  void TakeFigures(size_t index, const schemas::FigureChange& change) {
    JobOutcome& outcome = result_.jobs[index];
    ToldFigures figures{.at = change.at};
    if (change.figures.starts_by) {
      figures.starts_by = change.figures.starts_by->at;
      figures.firm = change.figures.starts_by->firm;
    }
    if (change.figures.expected) {
      figures.expected = change.figures.expected->start;
      figures.low = change.figures.expected->low;
      figures.high = change.figures.expected->high;
    }
    if (!outcome.first) outcome.first = figures;
    if (!outcome.promise && figures.firm) outcome.promise = figures;
    Told& told = told_[index];
    if (told.starts_by && figures.starts_by > told.starts_by && change.cause) {
      outcome.late = verifier::CauseText(*change.cause);
    }
    if (figures.starts_by) told.starts_by = figures.starts_by;
  }

  void Close(size_t index, JobFate fate) {
    JobOutcome& outcome = result_.jobs[index];
    if (outcome.fate != JobFate::kOpen) return;
    outcome.fate = fate;
    --open_;
    const FederationJob& job = jobs_[index];
    if (fate == JobFate::kEnded && (!outcome.start || !outcome.end)) {
      Violation("job " + std::to_string(job.number) + " ended and never ran");
    }
    // Nothing fails in a replay, so no cause excuses a late start.
    if (outcome.start && outcome.promise && *outcome.start > *outcome.promise->starts_by) {
      Violation("job " + std::to_string(job.number) + " started after its promise: " +
                (outcome.late.empty() ? "no cause" : outcome.late));
    }
    if (options_.progress && open_ % kProgressEvery == 0) options_.progress(jobs_.size() - open_);
  }

  void Violation(std::string what) {
    if (result_.violations.size() < kViolationsKept) result_.violations.push_back(std::move(what));
  }

  FederationReplayOptions options_;
  const std::vector<FederationJob>& jobs_;
  std::vector<Told> told_;
  std::shared_ptr<const NodeSpeeds> speeds_;
  size_t waiting_ = 0;  // jobs that waited, counted for options_.forecasts
  Fillers fillers_;
  std::vector<int64_t> used_;        // processors, by site
  std::map<size_t, Wants> wanting_;  // by job
  std::vector<std::pair<size_t, schemas::Act>> asking_;
  uint64_t acts_ = 0;
  std::optional<IdealFederation> federation_;
  std::set<std::pair<Instant, size_t>> cancels_;
  size_t next_job_ = 0;
  size_t open_ = 0;
  FederationResult result_;
};

}  // namespace

size_t JobOfStart(const driver::StartPart& part) { return NumberOf(part.payload.argv[2]); }

int64_t FederationJob::Processors() const {
  return std::accumulate(parts.begin(), parts.end(), int64_t{0});
}

schemas::RequestSpec SpecOf(const FederationJob& job, const std::vector<ReplaySite>& sites) {
  schemas::RequestSpec spec;
  spec.duration = job.asks;
  spec.account = job.account;
  spec.apart = job.parts.size() > 1;
  if (job.recallable) spec.qos = kRecallable;
  const bool one_switch = std::any_of(sites.begin(), sites.end(),
                                      [](const ReplaySite& site) { return site.one_switch; });
  for (const int64_t processors : job.parts) {
    schemas::PartSpec& part = spec.parts.emplace_back();
    part.chunks = {ChunkOf(processors, job.times, sites)};
    if (one_switch) part.set = "switch";
    if (!job.set.empty()) part.set = job.set;
    if (job.only) part.sites = {sites[*job.only].site.name};
  }
  return spec;
}

FederationResult ReplayFederation(FederationReplayOptions options,
                                  const std::vector<FederationJob>& jobs) {
  MUSTER_CHECK(!options.sites.empty());
  return FederationReplay(std::move(options), jobs).Run();
}

}  // namespace muster::sim
