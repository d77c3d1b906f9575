// The federation is stepped from event to event. Jobs are known by their names; in a record that is
// taken again, by those that they had.
#include "sim/whatif/side.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/id_text.h"
#include "sim/replay/ideal_federation.h"
#include "sim/replay/replay_limits.h"
#include "sim/whatif/results.h"
#include "sim/whatif/retaken.h"
#include "sim/whatif/setup.h"

namespace muster::sim {
namespace {

int64_t ProcessorsOf(const schemas::PartPlace& place) {
  int64_t sum = 0;
  for (const schemas::ChunkPlace& chunk : place.chunks) sum += chunk.resources.Get("ncpus");
  return sum;
}

// "42.1" is part 1 of job 42; "lakes-17.1" is one of a site's own job.
struct PartName {
  std::string job;
  std::optional<RequestId> request;
  uint32_t part = 1;
};
PartName Read(const std::string& part_name) {
  const size_t dot = part_name.rfind('.');
  PartName out{.job = part_name.substr(0, dot)};
  out.request = RequestIdOf(out.job);
  if (dot != std::string::npos) {
    out.part = static_cast<uint32_t>(std::stoul(part_name.substr(dot + 1)));
  }
  return out;
}

class Side : public Onlooker {
 public:
  explicit Side(const SideOptions& options)
      : options_(options),
        now_(options.snapshot->meta.origin.wall),
        from_(options.replay ? now_.Floor() - *options.replay : now_.Floor()),
        until_(options.replay ? now_.Floor()
                              : now_.Floor() + options.ahead.value_or(kWhatIfSettles)),
        courses_(from_, until_) {
    if (options.replay) retaken_.emplace(*options.past, from_ - kReplayWarmUp, now_.Floor());
  }

  absl::StatusOr<SideOutcome> Run() {
    const Moment begins = retaken_ ? ToMoment(from_ - kReplayWarmUp) : now_;
    absl::StatusOr<Setup> setup =
        SetUp(*options_.snapshot, options_.changes, retaken_.has_value(), begins);
    if (!setup.ok()) {
      if (setup.status().code() != absl::StatusCode::kInvalidArgument) return setup.status();
      return Refused(std::string(Text(setup.status())));
    }
    for (const IdealRecords::Site& site : setup->records.sites) NoteRunning(site);
    setup->options.fate_of = [this](size_t, const driver::StartPart& part) { return FateOf(part); };
    const double processors = setup->processors;
    MUSTER_ASSIGN_OR_RETURN(federation_, IdealFederation::From(std::move(setup->options),
                                                               std::move(setup->records), this));
    if (!retaken_) MakeChanges();
    if (refused_.empty()) RunOn();
    if (!refused_.empty()) return Refused(refused_);
    courses_.Finish();
    SideOutcome out{.from = from_, .until = until_, .processors = processors};
    out.used_s = courses_.used_s();
    TakeResults({.federation = *federation_,
                 .meta = options_.snapshot->meta,
                 .courses = courses_,
                 .retaken = retaken_ ? &*retaken_ : nullptr,
                 .ask = [this](schemas::Get get) { return Ask(std::move(get)); }},
                out);
    return out;
  }

  void OnMetaWrites(const std::vector<schemas::Write<schemas::MetaRecord>>& writes) override {
    if (!retaken_) return;
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* request = std::get_if<schemas::RequestRecord>(&*write.value);
      if (request != nullptr) retaken_->Took(*request);
    }
  }

  void OnTold(const meta::ClientAnswer& answer) override {
    if (answer.user == kWatcher) {
      const auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
      if (rows != nullptr) rows_ = *rows;
      return;
    }
    const auto* refused = std::get_if<schemas::Refused>(&answer.message.body);
    // What was taken then may be refused now: then it does not come.
    if (refused == nullptr || retaken_ || !refused_.empty()) return;
    refused_ = options_.changes.at(answer.message.answers.value - 1).text + ": " + refused->message;
    if (!refused->detail.empty()) refused_ += "; " + refused->detail;
  }

  void OnStarted(size_t, const driver::StartPart& command, Moment at) override {
    courses_.Started(command.token, JobOf(command), at, ProcessorsOf(command.place));
  }

  void OnEnded(size_t, const driver::StartPart& command, const driver::PartEnded& ended) override {
    courses_.Ended(command.token, ended.at);
  }

 private:
  static SideOutcome Refused(std::string why) {
    SideOutcome out;
    out.refused = std::move(why);
    return out;
  }

  std::string JobOf(const driver::StartPart& command) const {
    const PartName name = Read(command.part_name);
    if (!name.request || !retaken_) return name.job;
    const auto before = retaken_->Before(*name.request);
    return before ? ToText(*before) : name.job;
  }

  void NoteRunning(const IdealRecords::Site& site) {
    for (const IdealRecords::Running& part : site.running) {
      since_[part.command.token] = part.started_at;
      courses_.Adopted(part.command.token, JobOf(part.command), part.started_at,
                       ProcessorsOf(part.command.place));
    }
  }

  // How long a part runs: as on record if it is taken again, as drawn if the run looks ahead. What
  // follows at once follows with everybody running on.
  driver::SimulatedFate FateOf(const driver::StartPart& part) const {
    const PartName name = Read(part.part_name);
    const bool runs_on = !retaken_ && !options_.ahead;
    if (!name.request || runs_on) return {};  // a site's own job runs as long as it may
    RequestId request = *name.request;
    if (retaken_) {
      if (const auto before = retaken_->Before(request)) request = *before;
      if (const auto ran = retaken_->Ran(request, name.part)) return {.runs = ToBootSpan(*ran)};
    }
    const auto since = since_.find(part.token);
    const Span elapsed = since == since_.end() ? Span{0} : now_.Floor() - since->second.Floor();
    const auto known = options_.past->all().find(request);
    schemas::RequestSpec spec;
    if (known != options_.past->all().end()) spec = known->second.request->spec;
    if (spec.duration == Span{0}) spec.duration = part.walltime;
    return {.runs = ToBootSpan(options_.past->Drawn(request, spec, part.user, elapsed))};
  }

  // The changes that are none of a file, in their order; they are the asker's.
  void MakeChanges() {
    for (size_t i = 0; i < options_.changes.size(); ++i) {
      const schemas::TriedChange& change = options_.changes[i];
      if (change.file) continue;
      if (change.when && *change.when > now_.Floor()) {
        later_.insert({*change.when, i});
      } else {
        Make(i);
      }
    }
  }

  void Make(size_t index) {
    const schemas::TriedChange& change = options_.changes[index];
    schemas::ClientMessage message{.number = {index + 1}};
    if (change.submit) message.body = *change.submit;
    if (change.act) {
      schemas::Act act = *change.act;
      // A site refuses an order once it has been accepted by the meta, so it is tried first.
      act.only_try = act.verb == schemas::ActVerb::kDrain || act.verb == schemas::ActVerb::kResume;
      if (act.only_try) federation_->Say(options_.user, {.number = {index + 1}, .body = act});
      if (!refused_.empty()) return;
      act.only_try = false;
      act.may_move = true;  // what it moves is what is asked
      message.body = std::move(act);
    }
    if (change.cancel) {
      schemas::Cancel cancel = *change.cancel;
      cancel.may_move = true;
      cancel.only_try = false;
      message.body = std::move(cancel);
    }
    federation_->Say(options_.user, std::move(message));
  }

  std::optional<Moment> NextEvent() const {
    std::optional<Moment> next = federation_->Next();
    const auto consider = [&next](Moment at) { next = next ? std::min(*next, at) : at; };
    if (!later_.empty()) consider(ToMoment(later_.begin()->first));
    if (const auto at = retaken_ ? retaken_->Next() : std::nullopt) consider(*at);
    return next;
  }

  void RunOn() {
    const Moment end = ToMoment(until_);
    size_t at_once = 0;
    for (auto next = NextEvent(); next && *next <= end; next = NextEvent()) {
      const Moment at = std::max(*next, federation_->Wall());
      at_once = at > federation_->Wall() ? 0 : at_once + 1;
      MUSTER_CHECK(at_once < kMostTurnsAtOnce);
      federation_->GoTo(at);
      while (!later_.empty() && ToMoment(later_.begin()->first) <= at) {
        Make(later_.extract(later_.begin()).value().second);
      }
      if (retaken_) {
        for (Retaken::Said& said : retaken_->TakeDue(at)) {
          federation_->Say(said.user, std::move(said.message));
        }
      }
      federation_->Timers();
    }
    if (federation_->Wall() < end) federation_->GoTo(end);
  }

  schemas::Rows Ask(schemas::Get get) {
    rows_ = {};
    federation_->Say(kWatcher, {.number = {1}, .body = std::move(get)});
    return std::exchange(rows_, {});
  }

  const SideOptions& options_;
  Moment now_;  // when the snapshot was taken
  Instant from_;
  Instant until_;
  Courses courses_;
  std::optional<Retaken> retaken_;
  std::unique_ptr<IdealFederation> federation_;
  std::map<std::string, Moment> since_;         // by token: since when what ran at first has run
  std::set<std::pair<Instant, size_t>> later_;  // changes, by their time
  schemas::Rows rows_;                          // the last answer to Ask
  std::string refused_;
};

}  // namespace

absl::StatusOr<SideOutcome> RunSide(const SideOptions& options) { return Side(options).Run(); }

}  // namespace muster::sim
