// Facts come from records at the end; figures as an operator is shown them.
#include "sim/whatif/results.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/id_text.h"
#include "schemas/limits.h"
#include "sim/whatif/delay.h"
#include "verifier/ending.h"

namespace muster::sim {
namespace {

using schemas::RequestRecord;
using schemas::RequestState;

double Processors(const schemas::RequestSpec& spec) {
  double sum = 0;
  for (const schemas::PartSpec& part : spec.parts) {
    for (const schemas::Chunk& chunk : part.chunks) {
      sum += static_cast<double>(chunk.count) * static_cast<double>(chunk.resources.Get("ncpus"));
    }
  }
  return sum;
}

bool IsOver(const RequestRecord& request) { return request.state == RequestState::kEnded; }

// The start that its user was told for sure, newest; none: none was.
std::optional<Instant> PromiseOf(const RequestRecord& request) {
  if (request.history.empty()) return std::nullopt;
  const auto& figure = request.history.back().figures.starts_by;
  return figure && figure->firm ? std::optional(figure->at) : std::nullopt;
}

std::optional<Instant> FirstPromise(const RequestRecord& request) {
  for (const schemas::FigureChange& change : request.history) {
    if (change.figures.starts_by && change.figures.starts_by->firm) {
      return change.figures.starts_by->at;
    }
  }
  return std::nullopt;
}

std::string WhyOf(const RequestRecord& request) {
  if (const schemas::Cause* cause = CauseOfDelay(request.history)) {
    return verifier::CauseText(*cause);
  }
  return request.reason ? request.reason->text : "";
}

// What the run adds to what a job was when it began.
struct Before {
  std::optional<Instant> told;
  uint64_t recalls = 0;
  BootSpan lost;
};

std::map<RequestId, Before> BeforeTheRun(const EndOfRun& end, std::set<RequestId>& over) {
  std::map<RequestId, Before> out;
  if (end.retaken != nullptr) return out;
  std::map<Fence, RequestId> attempts;
  for (const auto& [key, record] : end.meta.records) {
    const auto* request = std::get_if<RequestRecord>(&record);
    if (request == nullptr) continue;
    if (IsOver(*request)) over.insert(request->id);
    Before& before = out[request->id];
    if (request->state == RequestState::kPromised) before.told = PromiseOf(*request);
    before.recalls = request->recalls;
    before.lost = request->lost;
    if (request->attempt) attempts.emplace(*request->attempt, request->id);
  }
  for (const auto& [key, record] : end.meta.records) {
    const auto* mirror = std::get_if<schemas::MirrorRecord>(&record);
    const auto request = mirror ? attempts.find(mirror->fence) : attempts.end();
    if (request == attempts.end()) continue;
    for (const schemas::MirrorPart& part : mirror->parts) {
      out[request->second].recalls += part.booking.recalls;
      out[request->second].lost = out[request->second].lost + part.booking.lost;
    }
  }
  return out;
}

class ResultReader {
 public:
  ResultReader(const EndOfRun& end, SideOutcome& out) : end_(end), out_(out) {}

  void Read() {
    before_ = BeforeTheRun(end_, over_);
    for (const schemas::MirrorRecord& mirror : end_.federation.meta().Mirror()) {
      mirrors_[mirror.fence].push_back(mirror);
    }
    std::vector<RequestId> unpromised;
    for (const RequestRecord& request : end_.federation.meta().Requests()) {
      if (Take(request)) unpromised.push_back(request.id);
    }
    ReadForecasts(unpromised);
    ReadLocal();
    schemas::Get accounts{.kind = schemas::GetKind::kAccounts};
    for (const schemas::AccountRow& row : end_.ask(std::move(accounts)).accounts) {
      out_.credits[row.name] = static_cast<double>(row.free) / 1'000'000;
    }
  }

 private:
  std::string KeyOf(RequestId id) const {
    const auto before = end_.retaken ? end_.retaken->Before(id) : std::nullopt;
    return ToText(before.value_or(id));
  }

  // Whether it waits for its start and is promised none: then its figures are forecasts, which
  // take long for thousands of jobs.
  bool Take(const RequestRecord& request) {
    const bool runs_itself = !request.spec.array && !request.spec.reserves;
    if (!runs_itself || over_.contains(request.id)) return false;
    if (end_.retaken && request.submitted_at.Floor() < out_.from) return false;
    JobCourse& job = out_.jobs[KeyOf(request.id)];
    job.name = KeyOf(request.id);
    job.user = request.requester.user;
    job.account = request.spec.account;
    job.submitted = request.submitted_at.Floor();
    job.promised = FirstPromise(request);
    job.because = WhyOf(request);
    const bool waits = request.state < RequestState::kStarting;
    const auto life = end_.courses.lives().find(job.name);
    if (life != end_.courses.lives().end()) {
      job.life = life->second;
      // It was recalled and waits again.
      if (waits && job.life.ended) job.life = {.used_s = job.life.used_s};
    }
    if (waits && !job.life.started && !request.history.empty()) {
      const auto& figure = request.history.back().figures.starts_by;
      if (figure) job.starts_by = figure->at;
    }
    CountRecalls(request, job);
    return waits && !PromiseOf(request);
  }

  void CountRecalls(const RequestRecord& request, JobCourse& job) {
    uint64_t recalls = request.recalls;
    BootSpan lost = request.lost;
    const auto mirrors = request.attempt ? mirrors_.find(*request.attempt) : mirrors_.end();
    if (mirrors != mirrors_.end()) {
      for (const schemas::MirrorRecord& mirror : mirrors->second) {
        for (const schemas::MirrorPart& part : mirror.parts) {
          recalls += part.booking.recalls;
          lost = lost + part.booking.lost;
        }
      }
    }
    const Before& before = before_[request.id];
    job.told = before.told;
    job.recalls = recalls - std::min(recalls, before.recalls);
    job.lost_s =
        static_cast<double>(std::max<int64_t>(0, lost.milliseconds - before.lost.milliseconds)) /
        1000 * Processors(request.spec);
  }

  void ReadForecasts(const std::vector<RequestId>& waiting) {
    for (size_t i = 0; i < waiting.size(); i += schemas::kRowsPerPage) {
      const size_t last = std::min(waiting.size(), i + schemas::kRowsPerPage);
      schemas::Get get{.kind = schemas::GetKind::kJob};
      get.requests.assign(waiting.begin() + static_cast<std::ptrdiff_t>(i),
                          waiting.begin() + static_cast<std::ptrdiff_t>(last));
      for (const schemas::JobView& view : end_.ask(std::move(get)).jobs) {
        const auto id = RequestIdOf(view.id);
        if (!id) continue;
        JobCourse& job = out_.jobs[KeyOf(*id)];
        if (view.figures.starts_by) job.starts_by = view.figures.starts_by->at;
        if (view.figures.expected) job.expected = view.figures.expected->start;
      }
    }
  }

  // Of jobs of the sites' own users: what the machines saw.
  void ReadLocal() {
    for (const auto& [name, life] : end_.courses.lives()) {
      if (RequestIdOf(name)) continue;
      JobCourse& job = out_.jobs[name];
      job.name = name;
      job.submitted = life.started.value_or(out_.from);
      job.life = life;
    }
  }

  const EndOfRun& end_;
  SideOutcome& out_;
  std::map<RequestId, Before> before_;
  std::set<RequestId> over_;  // before the run began
  std::map<Fence, std::vector<schemas::MirrorRecord>> mirrors_;
};

}  // namespace

void TakeResults(const EndOfRun& end, SideOutcome& out) { ResultReader(end, out).Read(); }

}  // namespace muster::sim
