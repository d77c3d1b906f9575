// Promise: a figure is durable before it is told; it gets later only with a cause; a start is not
// later than the last figure told, unless a cause is on record; the meta moves no promise to a
// start nearer than the user's notice. protocol.md section 5.
#include <map>
#include <set>
#include <utility>

#include "sim/checkers/checker.h"
#include "sim/checkers/token.h"
#include "verifier/ending.h"
#include "verifier/start_notice.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::CauseCode;
using schemas::RequestRecord;

// The causes that may make a promise later.
bool ExcusesLater(CauseCode code) {
  switch (code) {
    case CauseCode::kNone:
    case CauseCode::kBackfilled:
    case CauseCode::kJoint:
    case CauseCode::kOvertaken:
    case CauseCode::kPacked:
    case CauseCode::kSite:
    case CauseCode::kHome:
      return false;
    default:
      return true;
  }
}

class Promises : public Checker {
 public:
  explicit Promises(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "promise"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* attempt = std::get_if<AttemptRecord>(&*write.value);
      if (attempt && world_.HasLiar(attempt->members)) with_liar_.insert(attempt->request);
      if (attempt) start_of_[attempt->fence] = attempt->start;
    }
    for (const auto& write : writes) {
      if (!write.value) continue;
      if (const auto* request = std::get_if<RequestRecord>(&*write.value)) {
        History(at, *request);
        durable_[request->id] = *request;
      } else if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
        request_of_[attempt->fence] = attempt->request;
      }
    }
  }

  void OnClientTold(Moment at, const std::string&, const schemas::ToClient& told) override {
    const auto* rows = std::get_if<schemas::Rows>(&told.body);
    if (rows == nullptr) return;
    for (const schemas::JobView& job : rows->jobs) {
      if (!job.figures.starts_by || !job.figures.starts_by->firm) continue;
      const auto it = durable_.find(RequestId{std::stoull(job.id)});
      const bool known = it != durable_.end() && Has(it->second, job.figures.starts_by->at);
      if (!known) Violated(at, "job " + job.id + " was told a promise that is not durable");
    }
  }

  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override {
    const Token t = ReadToken(token);
    const auto request = request_of_.find(t.fence);
    if (request == request_of_.end() || t.part == 0) return;
    const RequestRecord& record = durable_[request->second];
    const Span offset =
        t.part <= record.spec.parts.size() ? record.spec.parts[t.part - 1].offset : Span{0};
    const auto promise = Last(record);
    if (promise && at.Floor() > *promise + offset) {
      late_.push_back({at, request->second, token + " at " + site, *promise + offset});
    }
  }

  // The meta may record a site's move only after the start, so late starts are judged at the end.
  void AtEnd(Moment, bool calm) override {
    if (!calm) return;
    for (const Late& late : late_) {
      if (with_liar_.contains(late.request)) continue;
      bool excused = false;
      for (const auto& change : durable_[late.request].history) {
        if (change.cause && ExcusesLater(change.cause->code)) excused = true;
      }
      if (!excused) {
        Violated(late.at, late.what + " started after its promise of second " +
                              std::to_string(late.promise.seconds) + " without a cause");
      }
    }
  }

 private:
  struct Late {
    Moment at;
    RequestId request;
    std::string what;
    Instant promise;
  };

  static bool Has(const RequestRecord& record, Instant at) {
    for (const auto& change : record.history) {
      if (change.figures.starts_by && change.figures.starts_by->at == at) return true;
    }
    return false;
  }
  static std::optional<Instant> Last(const RequestRecord& record) {
    std::optional<Instant> last;
    for (const auto& change : record.history) {
      if (change.figures.starts_by && change.figures.starts_by->firm)
        last = change.figures.starts_by->at;
    }
    return last;
  }

  // The attempt for error messages, as `--trace` of a campaign takes it.
  static std::string Where(const RequestRecord& record) {
    return record.attempt ? ", attempt " + ToText(*record.attempt) + "," : "";
  }

  void History(Moment at, const RequestRecord& record) {
    std::optional<Instant> before;
    bool lost_with_cause = false;
    bool given_up = false;  // its user gave up the promise
    for (const auto& change : record.history) {
      const bool excused = change.cause && ExcusesLater(change.cause->code);
      if (!change.figures.starts_by || !change.figures.starts_by->firm) {
        if (before && !excused && !lost_with_cause) {
          Violated(at, "request " + ToText(record.id) + Where(record) +
                           " lost its promise without a cause");
        }
        lost_with_cause = lost_with_cause || excused;
        given_up = given_up || (change.cause && change.cause->code == CauseCode::kUser);
        continue;
      }
      const Instant now = change.figures.starts_by->at;
      const bool by_meta = !change.cause || change.cause->who == "meta";
      const bool fell = before && now < *before && by_meta && !given_up;
      // Without a notice the meta may even tell a start that has passed, since news can be delayed.
      const Span notice = verifier::StartNoticeOf(record.spec);
      const Instant noticed = change.at.Floor() + notice;
      const bool near = notice > Span{0} && now < noticed && MayStart(record.spec, noticed);
      // The meta may tell the start's D first and the exact figure later: the figure falls, but the
      // start is the same.
      const bool is_new = &change == &record.history.back();
      const bool starts_earlier = is_new && StartOf(record) < told_start_[record.id];
      if (fell && near && starts_earlier && near_.insert({record.id, now}).second) {
        Violated(at, "the promise of request " + ToText(record.id) + Where(record) +
                         " was brought nearer than its user has notice of, to " +
                         std::to_string(now.seconds));
      }
      const bool rose = before && now > *before && !excused && !lost_with_cause;
      if (rose && rises_.insert({record.id, now}).second) {
        Violated(at, "the promise of request " + ToText(record.id) + Where(record) + " rose from " +
                         std::to_string(before->seconds) + " to " + std::to_string(now.seconds) +
                         " without a cause that excuses it: " +
                         (change.cause ? verifier::CauseText(*change.cause) : "none"));
      }
      before = now;
      lost_with_cause = false;
      given_up = false;
    }
    if (before) told_start_[record.id] = StartOf(record);
  }
  // True if the request's own constraints allow a start at `from` or later.
  static bool MayStart(const schemas::RequestSpec& spec, Instant from) {
    if (spec.start_by && *spec.start_by < from) return false;
    if (spec.deadline && *spec.deadline < from + spec.duration) return false;
    const auto& slots = spec.slots.intervals();
    return slots.empty() || slots.back().end >= from + spec.duration;
  }
  // The start of the request's present attempt; second 0 if it has none.
  Instant StartOf(const RequestRecord& record) const {
    const auto it = record.attempt ? start_of_.find(*record.attempt) : start_of_.end();
    return it == start_of_.end() ? Instant{0} : it->second;
  }

  CheckedWorld world_;
  std::set<RequestId> with_liar_;                  // requests that were ever placed at a lying site
  std::set<std::pair<RequestId, Instant>> rises_;  // reported once each
  std::set<std::pair<RequestId, Instant>> near_;   // reported once each
  std::map<RequestId, RequestRecord> durable_;
  std::map<Fence, RequestId> request_of_;
  std::map<Fence, Instant> start_of_;        // by attempt
  std::map<RequestId, Instant> told_start_;  // start of the attempt behind the last promise
  std::vector<Late> late_;
};

}  // namespace

std::unique_ptr<Checker> CheckPromises(const CheckedWorld& world) {
  return std::make_unique<Promises>(world);
}

}  // namespace muster::sim
