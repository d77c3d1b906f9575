// Requests of local users: where a job would start, and submission, which books and permits in the
// write that stores the client key. protocol.md sections 2b, 3.1 (local jobs).
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/canonical.h"
#include "schemas/limits.h"
#include "site/local/clients.h"
#include "site/local/local_users.h"
#include "site/planning/admission.h"
#include "verifier/client_checks.h"
#include "verifier/request_times.h"
#include "verifier/start_notice.h"

namespace muster::site {

namespace {

constexpr size_t kMostParked = 100;

}  // namespace

using schemas::LocalRecord;
using schemas::Refused;
using schemas::VerdictKind;
using verifier::Fault;

void Clients::Asked(const ClientLine& line, const schemas::Submit& submit) {
  if (parked_.size() < kMostParked) return Take(line, submit, std::nullopt);
  Tell(line, Refused{.code = "busy",
                     .message = "the machine of " + options().name +
                                " has not answered for those who came before",
                     .help = "submit it again in a moment",
                     .changed = kNothingSubmitted});
}

void Clients::TakeParked() {
  std::vector<Parked> answered;
  for (auto it = parked_.begin(); it != parked_.end();) {
    if (IsAsked({{}, it->number})) {
      ++it;
      continue;
    }
    answered.push_back(std::move(*it));
    it = parked_.erase(it);
  }
  for (const Parked& next : answered) {
    Take(next.line, next.submit, next.number);
    if (!IsAsked({{}, next.number})) Unask({{}, next.number});  // it was refused for another reason
  }
}

void Clients::Take(const ClientLine& line, const schemas::Submit& submit,
                   std::optional<uint64_t> given) {
  const schemas::RequestSpec spec = WithValues(submit.request, line.user);
  const Digest digest = schemas::DigestOf(submit.request);
  if (const auto known = ByKey(line.user, submit.key.text)) {
    const LocalRecord& job = *FindLocal(*known);
    if (job.digest == digest) {
      return Tell(line, schemas::Accepted{
                            .requests = {{job.number}}, .states = {job.state}, .repeated = true});
    }
    return Tell(line,
                Refused{.code = "conflict",
                        .message = "'" + submit.key.text + "' was used for job " + options().name +
                                   "/" + std::to_string(job.number) + ", which is another one",
                        .help = "another --once TEXT",
                        .changed = kNothingSubmitted});
  }
  if (disk_low()) {
    return Tell(line, Refused{.code = "disk-full",
                              .message = "the disk of " + options().name + " is nearly full",
                              .help = "the operator frees space",
                              .changed = kNothingSubmitted});
  }
  if (Fault fault = verifier::CheckKey(submit.key, now())) return Tell(line, std::move(*fault));
  if (Fault fault =
          verifier::CheckCounts(options().validities, MemberOf(options(), line.user), now())) {
    return Tell(line, std::move(*fault));
  }
  if (Fault fault = CheckLocal(spec, true)) return Tell(line, std::move(*fault));
  if (Fault fault = verifier::CheckStartNotice(spec, spec.duration, now()))
    return Tell(line, std::move(*fault));
  const size_t open = OpenJobsOf(line.user);
  if (open >= options().open_jobs_per_user) {
    return Tell(line, Refused{.code = "busy",
                              .message = std::to_string(open) + " jobs are open; at most " +
                                         std::to_string(options().open_jobs_per_user),
                              .help = "wait for some to end",
                              .changed = kNothingSubmitted});
  }
  LocalRecord job{.number = given.value_or(ledger().identity().last_local + 1),
                  .requester = {line.user, GroupsNow(options(), line.user, now_floor())},
                  .key = submit.key,
                  .digest = digest,
                  .spec = spec,
                  .submitted_at = now()};
  job.spec.payload = {};
  const uint64_t number = job.number;
  if (auto refusal = Begin(std::move(job), spec.payload)) {
    if (IsAsked({{}, number})) return parked_.push_back({line, submit, number});
    return Tell(line, Unplaced(*refusal));
  }
  Tell(line, schemas::Accepted{.requests = {{number}}, .states = {FindLocal(number)->state}});
}

void Clients::Asked(const ClientLine& line, const schemas::Ask& ask) {
  const schemas::RequestSpec spec = WithValues(ask.request, line.user);
  auto fault = verifier::CheckCounts(options().validities, MemberOf(options(), line.user), now());
  if (!fault) fault = CheckLocal(spec, false);
  if (fault) {
    fault->changed = "nothing was changed";
    return Tell(line, std::move(*fault));
  }
  if (auto late = verifier::CheckStartNotice(spec, spec.duration, now())) {
    late->changed = "nothing was changed";
    return Tell(line, std::move(*late));
  }
  const schemas::ProposalEntry entry = LocalEntry(spec, line.user);
  if (entry.allowed.empty()) {
    const std::string when = WhenText(options().validities, MemberOf(options(), line.user));
    if (!when.empty()) {
      return Tell(line, Refused{.code = "never",
                                .message = "nothing of " + line.user + " may start in its window",
                                .detail = when});
    }
    return Tell(line, Refused{.code = "usage", .message = "its window has passed"});
  }
  const Dating dated = Date({entry});
  const auto none = WhyNoAccount(line.user, options());
  const schemas::VerdictEntry verdict =
      none ? Never(*none) : dated.Tell(plan().Verify(dated.entries(), now_floor(), false)).front();
  schemas::OfferView offer{.sites = std::vector(spec.parts.size(), options().name)};
  const bool starts = verdict.kind == VerdictKind::kAccepted ||
                      (verdict.kind == VerdictKind::kCountered && !verdict.starts.empty());
  if (starts) {
    offer.figures = LocalFigures(spec, verdict.start, plan().revision());
    offer.figures.starts_by->firm = false;  // a quote binds nobody
    if (verdict.reason) offer.waits_for = {*verdict.reason};
  } else if (verdict.kind == VerdictKind::kNever) {
    offer.never = verdict.reason;
    offer.largest = verdict.largest;
  } else {
    offer.figures.no_promise_reason =
        verdict.reason.value_or(schemas::Reason{.code = schemas::ReasonCode::kBlocked,
                                                .subject = {.site = options().name},
                                                .text = "there is no start within its window"});
  }
  offer.figures.basis = {{options().name, now(), 0, plan().revision()}};
  schemas::Rows rows = NewRows();
  rows.offers.push_back(std::move(offer));
  Tell(line, std::move(rows));
}

void Clients::GetSlots(const ClientLine& line, const schemas::Get& get) {
  if (!get.spec) {
    return Tell(line, Refused{.code = "usage", .message = "slots for which resources?"});
  }
  const schemas::RequestSpec spec = WithValues(*get.spec, line.user);
  if (auto fault = CheckLocal(spec, false)) {
    fault->changed = "nothing was changed";
    return Tell(line, std::move(*fault));
  }
  schemas::Rows rows = NewRows();
  const Instant until = get.until.value_or(now_floor() + options().horizon);
  rows.slots = SlotsFor(LocalEntry(spec, line.user), until, false).slots;
  Tell(line, std::move(rows));
}

}  // namespace muster::site
