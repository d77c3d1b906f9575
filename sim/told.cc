// Each question has its own copies of the world, so that one trial does not affect another.
#include "sim/told.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/text/chunks.h"
#include "base/units.h"
#include "schemas/client.h"

namespace muster::sim {
namespace {

using schemas::RequestRecord;
using schemas::RequestState;

constexpr BootSpan kStep = Milliseconds(20);
constexpr BootSpan kPatience = Seconds(15);  // longest wait for an answer or a promise
constexpr BootSpan kLater = Seconds(1);      // from the question to the submission
constexpr Span kWithin{2};
constexpr Span kBoundWithin{30};
constexpr BootSpan kBoundPatience = Seconds(6 * 3600);
constexpr Span kSaves{60};
constexpr int64_t kGrid = 20;
// A job that starts this soon may start before the alteration arrives, so it is not tested.
constexpr Span kSoon{20};
constexpr char kUser[] = "kim";

// Stores the answers to clients by message number.
class Ear : public Checker {
 public:
  std::string Name() const override { return "ear"; }
  void OnClientTold(Moment, const std::string&, const schemas::ToClient& answer) override {
    heard_.insert_or_assign(answer.answers.value, answer);
  }
  const schemas::ToClient* Heard(uint64_t number) const {
    const auto it = heard_.find(number);
    return it == heard_.end() ? nullptr : &it->second;
  }

 private:
  std::map<uint64_t, schemas::ToClient> heard_;
};

// A frozen copy of the world, and a client that sends messages to it.
class Copy {
 public:
  explicit Copy(const World& world) {
    auto ear = std::make_unique<Ear>();
    ear_ = ear.get();
    world_ = world.Frozen(std::move(ear));
  }

  const World& world() const { return *world_; }
  Instant Now() const { return world_->Wall().Floor(); }
  void Run(BootSpan span) { world_->Run(world_->now() + span); }

  // Sends a message and returns its answer; null if none arrives in time.
  const schemas::ToClient* Say(const std::string& user,
                               decltype(schemas::ClientMessage::body) body) {
    schemas::ClientMessage message{.number = {++number_}};
    message.body = std::move(body);
    world_->Say(user, message);
    const BootInstant until = world_->now() + kPatience;
    while (world_->now() < until) {
      Run(kStep);
      if (const schemas::ToClient* answer = ear_->Heard(number_)) return answer;
    }
    return nullptr;
  }
  std::optional<schemas::Rows> Rows(const std::string& user,
                                    decltype(schemas::ClientMessage::body) body) {
    const schemas::ToClient* answer = Say(user, std::move(body));
    const auto* rows = answer ? std::get_if<schemas::Rows>(&answer->body) : nullptr;
    return rows ? std::optional(*rows) : std::nullopt;
  }
  // The job's present figure.
  std::optional<schemas::StartsBy> FigureOf(const std::string& user, RequestId id) {
    const auto rows = Rows(user, schemas::Get{.kind = schemas::GetKind::kJob, .requests = {id}});
    if (!rows || rows->jobs.size() != 1) return std::nullopt;
    return rows->jobs[0].figures.starts_by;
  }
  // Waits for the job's promise; none if none appears in time.
  std::optional<schemas::StartsBy> PromiseOf(RequestId id, BootSpan patience) {
    const BootInstant until = world_->now() + patience;
    while (world_->now() < until) {
      if (world_->meta() == nullptr) return std::nullopt;
      for (const RequestRecord& request : world_->meta()->Requests()) {
        if (request.id != id || !request.attempt) continue;
        for (auto it = request.history.rbegin(); it != request.history.rend(); ++it) {
          if (it->figures.starts_by && it->figures.starts_by->firm) return it->figures.starts_by;
        }
      }
      Run(patience > kPatience ? Seconds(1) : kStep);
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<World> world_;
  const Ear* ear_ = nullptr;
  uint64_t number_ = uint64_t{1} << 40;
};

bool Near(Instant a, Instant b, Span within) { return a - b <= within && b - a <= within; }

// Parses the words of `muster alter`: "alter 42.3 -l 1:ncpus=2". Nullopt: not supported here.
std::optional<schemas::Alteration> AlterationOf(const std::vector<std::string>& argv) {
  if (argv.size() < 3) return std::nullopt;
  schemas::Alteration out;
  const size_t dot = argv[1].rfind('.');
  schemas::PartAlteration part;
  if (dot != std::string::npos)
    part.part = static_cast<uint32_t>(std::stoul(argv[1].substr(dot + 1)));
  const std::string& option = argv[2];
  if (option == "--no-apart") {
    out.apart = false;
    return out;
  }
  if (argv.size() != 4) return std::nullopt;
  const std::string& value = argv[3];
  if (option == "-t") {
    const absl::StatusOr<Span> duration = ParseDuration(value);
    if (!duration.ok()) return std::nullopt;
    out.duration = *duration;
    return out;
  }
  if (option == "-l") {
    const auto chunks = text::ParseChunks(value);
    if (!chunks.ok()) return std::nullopt;
    for (const text::ChunkText& chunk : *chunks) {
      part.chunks.push_back({chunk.count, chunk.resources, chunk.properties});
    }
  } else if (option == "--place") {
    part.place = value.starts_with("pack")      ? schemas::Place::kPack
                 : value.starts_with("scatter") ? schemas::Place::kScatter
                                                : schemas::Place::kFree;
    part.exclusive = value.ends_with(":excl");
  } else if (option == "--site") {
    part.sites = schemas::Names{};
  } else {
    return std::nullopt;
  }
  out.parts = {std::move(part)};
  return out;
}

// The figure of the job after the alteration. None if the alteration could not be tried or no
// figure came in time; kFarFuture if it was refused.
std::optional<Instant> FigureAltered(const World& world, const RequestRecord& job,
                                     schemas::Alteration changes, bool queued) {
  Copy copy(world);
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {job.id}};
  act.may_move = true;
  act.changes = std::move(changes);
  const schemas::ToClient* answer = copy.Say(job.requester.user, act);
  if (!answer) return std::nullopt;
  if (const auto* refused = std::get_if<schemas::Refused>(&answer->body)) {
    const bool busy = refused->message.find("just now") != std::string::npos ||
                      refused->message.find("already") != std::string::npos;
    return busy ? std::nullopt : std::optional(kFarFuture);
  }
  const auto figure =
      queued ? copy.FigureOf(job.requester.user, job.id) : copy.PromiseOf(job.id, kPatience);
  return figure ? std::optional(figure->at) : std::nullopt;
}

bool HasACause(const schemas::ExplainRows& rows) {
  if (rows.reason || rows.queued) return true;
  return std::any_of(rows.parts.begin(), rows.parts.end(),
                     [](const schemas::ExplainPart& part) { return !part.reasons.empty(); });
}

std::string Words(const std::vector<std::string>& argv) {
  std::string out;
  for (const std::string& word : argv) out += (out.empty() ? "" : " ") + word;
  return out;
}

// The earliest offered start; none if there is no offer.
std::optional<Instant> BestOffer(Copy& copy, const schemas::RequestSpec& spec) {
  const auto rows = copy.Rows(kUser, schemas::Ask{.request = spec});
  std::optional<Instant> best;
  if (!rows) return best;
  for (const schemas::OfferView& offer : rows->offers) {
    const auto& start = offer.figures.starts_by;
    if (start && (!best || start->at < *best)) best = start->at;
  }
  return best;
}

std::string Ahead(Instant at, Instant now) { return std::to_string((at - now).seconds) + " s"; }

}  // namespace

TruthRate& TruthRate::operator+=(const TruthRate& other) {
  right += other.right;
  all += other.all;
  return *this;
}

ToldCounts& ToldCounts::operator+=(const ToldCounts& other) {
  offers += other.offers;
  overtaken += other.overtaken;
  ways += other.ways;
  deaf += other.deaf;
  causes += other.causes;
  bounds += other.bounds;
  unproved += other.unproved;
  return *this;
}

std::string ToText(const ToldCounts& counts) {
  const auto rate = [](const char* what, const TruthRate& one) {
    if (one.all == 0) return std::string(what) + " none";
    char text[64];
    std::snprintf(text, sizeof text, "%s %.1f %% of %llu", what,
                  100.0 * static_cast<double>(one.right) / static_cast<double>(one.all),
                  static_cast<unsigned long long>(one.all));
    return std::string(text);
  };
  const std::string overtaken =
      counts.overtaken > 0 ? " (" + std::to_string(counts.overtaken) + " overtaken)" : "";
  return rate("offers", counts.offers) + overtaken + ", " + rate("changes", counts.ways) + ", " +
         rate("does not help", counts.deaf) + ", " + rate("causes", counts.causes) + ", " +
         rate("bounds", counts.bounds) + "; not proved " + std::to_string(counts.unproved);
}

void ToldDraws::Count(TruthRate& rate, bool right, const World& world, const std::string& what) {
  ++rate.all;
  if (right) {
    ++rate.right;
  } else {
    wrong_.push_back("at " + std::to_string(world.Wall().milliseconds) + " ms: " + what);
  }
}

void ToldDraws::Look(const World& world) {
  if (world.meta() == nullptr) return;
  if (random_.Chance(400)) return LookAtOffer(world);
  LookAtJob(world);
}

void ToldDraws::LookAtOffer(const World& world) {
  WorkloadOptions drawn = asked_;
  drawn.requests = 1;
  drawn.arrays = drawn.after = drawn.reserved = drawn.inside = 0;
  drawn.firm = 1000;  // otherwise a job may get a bound instead of the offered start
  schemas::RequestSpec spec = DrawWorkload(drawn, random_).front().spec;
  Copy copy(world);
  const std::optional<Instant> offered = BestOffer(copy, spec);
  if (!offered) return;
  Copy later(copy.world());
  later.Run(kLater);
  Copy again(later.world());
  const schemas::ToClient* answer =
      later.Say(kUser, schemas::Submit{.key = {.text = "told"}, .request = spec});
  const auto* accepted = answer ? std::get_if<schemas::Accepted>(&answer->body) : nullptr;
  if (!accepted) return;
  const auto promise = later.PromiseOf(accepted->requests[0], kPatience);
  const bool kept = promise && Near(promise->at, *offered, kWithin);
  if (promise && !kept) {
    // If promised jobs moved in that second, to or from the offered place, `ask` at the submission
    // tells the promised start. Such an offer counts as overtaken.
    const std::optional<Instant> now = BestOffer(again, spec);
    if (now && !Near(*now, *offered, kWithin) && Near(*now, promise->at, kWithin)) {
      ++counts_.overtaken;
      ++counts_.offers.all;
      return;
    }
  }
  Count(counts_.offers, kept, world,
        "offered in " + Ahead(*offered, copy.Now()) + ", promised " +
            (promise ? "in " + Ahead(promise->at, copy.Now()) : "nothing"));
}

void ToldDraws::LookAtJob(const World& world) {
  const Instant now = world.Wall().Floor();
  std::vector<RequestRecord> open;
  for (RequestRecord& request : world.meta()->Requests()) {
    const bool waits = request.state == RequestState::kWaiting && !request.parked;
    const bool promised = request.state == RequestState::kPromised;
    if (request.spec.array || (!waits && !promised) || request.history.empty()) continue;
    const auto& told = request.history.back().figures.starts_by;
    if (promised && (!told || told->at <= now + kSoon)) continue;
    open.push_back(std::move(request));
  }
  if (open.empty()) return;
  const RequestRecord job = open[random_.Below(open.size())];
  const std::string name = "job " + ToText(job.id);
  Copy copy(world);
  const auto rows = copy.Rows(
      job.requester.user, schemas::Get{.kind = schemas::GetKind::kExplain, .requests = {job.id}});
  if (!rows || !rows->explain) return;
  const schemas::ExplainRows& told = *rows->explain;
  const bool queued = told.queued.has_value();
  if (told.start || queued) {
    Count(counts_.causes, HasACause(told), world, name + " is explained without a cause");
  }
  counts_.unproved += told.more.size();
  for (const schemas::ExplainChange& change : told.changes) {
    const auto changes = AlterationOf(change.argv);
    if (!changes) continue;  // the proposed move happens without an alteration
    const auto got = FigureAltered(copy.world(), job, *changes, queued);
    if (!got) continue;
    Count(counts_.ways, Near(*got, *change.starts_by, kWithin), world,
          Words(change.argv) + (queued ? " (queued)" : "") + " was said to start in " +
              Ahead(*change.starts_by, copy.Now()) + ", and got " + Ahead(*got, copy.Now()));
  }
  // Start the job gets without a shorter duration. It may be earlier than told: the job is being
  // moved already, or any alteration makes a waiting job be tried anew.
  Instant unhelped = told.starts_by ? told.starts_by->at : kFarFuture;
  for (const schemas::ExplainChange& change : told.changes) {
    if (change.argv.empty()) unhelped = std::min(unhelped, *change.starts_by);
  }
  if (!told.no_help.empty() && !job.attempt) {
    schemas::Alteration renamed;
    renamed.name = "told";
    const auto got = FigureAltered(copy.world(), job, renamed, queued);
    unhelped = std::min(unhelped, got.value_or(unhelped));
  }
  bool said = false;
  for (int64_t step = 0; !told.no_help.empty() && told.starts_by && step < kGrid; ++step) {
    schemas::Alteration changes;
    changes.duration = Span{std::max<int64_t>(1, job.spec.duration.seconds * step / kGrid)};
    const Span shorter = *changes.duration;
    const auto got = FigureAltered(copy.world(), job, std::move(changes), queued);
    if (!got) continue;
    const bool right = *got + kSaves > unhelped;
    if (!right && std::exchange(said, true)) {
      ++counts_.deaf.all;  // reports one line per job
      continue;
    }
    Count(counts_.deaf, right, world,
          name + (queued ? " (queued)" : "") + " was told that shorter does not help, and in " +
              DurationText(shorter) + " it starts in " + Ahead(*got, copy.Now()) + ", not in " +
              Ahead(unhelped, copy.Now()));
  }
  if (!queued) return;
  const auto bound = copy.FigureOf(job.requester.user, job.id);
  if (!bound || bound->firm || !bound->verified) return;
  const auto promise = copy.PromiseOf(job.id, kBoundPatience);
  Count(counts_.bounds, promise && Near(promise->at, bound->at, kBoundWithin), world,
        name + " was bound to start in " + Ahead(bound->at, now) + ", and was promised " +
            (promise ? "in " + Ahead(promise->at, now) : "nothing"));
}

}  // namespace muster::sim
