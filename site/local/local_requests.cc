// What users of the site itself ask for, taken at its word: is it a request for one site, where
// would it start, and its submission: booked and permitted in the write that stores its client key.
// A site keeps no queue. protocol.md sections 2b, 3.1 (local jobs).
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/canonical.h"
#include "schemas/limits.h"
#include "site/plan/rules/request_values.h"
#include "site/planning/environment.h"
#include "site/state.h"
#include "verifier/client_checks.h"
#include "verifier/fits.h"
#include "verifier/request_times.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::LocalRecord;
using schemas::Refused;
using schemas::VerdictEntry;
using schemas::VerdictKind;
using verifier::Fault;

namespace {

constexpr char kNothingSubmitted[] = "nothing was submitted";

// Drawn from what only this process knows: nobody who sees one secret learns another.
Secret DrawSecret(const Secret& root, const Fence& fence, Incarnation incarnation) {
  schemas::CanonicalWriter writer;
  for (const uint8_t byte : root.bytes) writer.Put(byte);
  writer.Put(fence);
  writer.Put(incarnation);
  return {schemas::Hash(writer.bytes()).bytes};
}

}  // namespace

Fault Core::State::CheckLocal(const schemas::RequestSpec& spec, bool with_payload) const {
  if (spec.array || !spec.after.empty()) {
    return verifier::Usage(spec.array ? "a site alone takes no arrays"
                                      : "a site alone knows no other jobs to wait for",
                           "submit it to the federation, without --via");
  }
  if (spec.inside || spec.reserves) {
    return verifier::Usage("a site alone keeps no reservations",
                           "submit it to the federation, without --via");
  }
  if (Fault fault = verifier::CheckName(spec)) return fault;
  if (spec.parts.empty()) return verifier::Usage("a request needs at least one part");
  if (spec.parts.size() > schemas::kPartsPerRequest) {
    return verifier::Usage(std::to_string(spec.parts.size()) + " parts; at most " +
                           std::to_string(schemas::kPartsPerRequest));
  }
  if (spec.apart && spec.parts.size() > 1) {
    return verifier::Usage("--apart: " + std::to_string(spec.parts.size()) +
                               " parts cannot each have a site of their own at one site",
                           "submit it to the federation, without --via");
  }
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    const schemas::PartSpec& part = spec.parts[i];
    const std::string name = "part " + std::to_string(i + 1);
    if (Fault fault = verifier::CheckPart(part, name)) return fault;
    const auto named = [&](const std::vector<std::string>& sites) {
      return std::find(sites.begin(), sites.end(), options.name) != sites.end();
    };
    if ((!part.sites.empty() && !named(part.sites)) || named(part.not_sites)) {
      return verifier::Usage(name + " may not run at " + options.name + ", where it is submitted",
                             "submit it to the federation, without --via");
    }
  }
  if (Fault fault = verifier::CheckTimes(spec, now())) return fault;
  if (Fault fault = verifier::CheckWindow(spec, spec.duration, now())) return fault;
  if (Fault fault = verifier::CheckNotice(spec)) return fault;
  if (with_payload) {
    if (Fault fault = verifier::CheckPayload(spec)) return fault;
  }
  const schemas::Capacity capacity = plan.Capacity(now_floor());
  for (const schemas::PartSpec& part : spec.parts) {
    const auto misfit = verifier::WhyNever(part, capacity);
    if (!misfit) continue;
    std::string help;
    if (!misfit->largest.empty()) {
      help = "the largest here is -l " + verifier::ChunksOption(misfit->largest);
    }
    return Refused{.code = "never",
                   .message = options.name + " can never run " + verifier::ChunksText(part.chunks),
                   .detail = misfit->text,
                   .help = std::move(help),
                   .changed = kNothingSubmitted};
  }
  return std::nullopt;
}

// A site keeps no queue: what has no place now is refused, with what would be possible.
Refused Core::State::Unplaced(const VerdictEntry& verdict) const {
  Refused out{.code = "never",
              .message = options.name + " has no room for it within its window",
              .changed = kNothingSubmitted};
  const bool broken = verdict.reason && verdict.reason->code == schemas::ReasonCode::kNode;
  if (verdict.kind == schemas::VerdictKind::kBlocked && broken) {
    out.code = "busy";
    out.message = options.name + " has no room for it until something is repaired";
  }
  if (verdict.kind == schemas::VerdictKind::kNever)
    out.message = options.name + " can never run it";
  if (verdict.reason) out.detail = verdict.reason->text;
  if (!verdict.starts.empty()) {
    out.help = "it could start at " + Rfc3339(verdict.starts.intervals().front().begin);
  } else {
    out.help = "another site may take it: submit it to the federation, without --via";
  }
  return out;
}

Member Core::State::MemberOf(const std::string& user) const {
  const LocalUser* listed = UserOf(user);
  return {user, listed == nullptr ? std::vector<std::string>{} : listed->groups};
}

std::vector<std::string> Core::State::GroupsNow(const std::string& user) const {
  return GroupsAt(options.validities, MemberOf(user), now_floor());
}

IntervalSet Core::State::StartsOfUser(const std::string& user, const IntervalSet& starts) const {
  const Validities& all = options.validities;
  if (starts.empty() || (all.users.empty() && all.groups.empty())) return starts;
  return StartsOf(all, MemberOf(user), starts, now_floor());
}

schemas::HoldOrder Core::State::LocalOrder(const LocalRecord& job, const Fence& fence,
                                           schemas::Payload payload) const {
  const schemas::RequestSpec& spec = job.spec;
  const Instant from = now().Ceiling();
  schemas::HoldOrder order{
      .fence = fence,
      .request = {job.number},
      .job_name = spec.name,
      .requester = job.requester,
      .request_class = spec.request_class,
      .members = {options.name},
      .part_count = static_cast<uint32_t>(spec.parts.size()),
      .part_sites = std::vector(spec.parts.size(), options.name),
      .payload = std::move(payload),
      .allowed = StartsOfUser(job.requester.user, verifier::AllowedStarts(spec).NotBefore(from)),
      .stage = HoldState::kCommitted};
  for (uint32_t i = 1; i <= order.part_count; ++i) {
    order.parts.push_back(verifier::DemandOf(spec, i, Span{0}));
  }
  order.payload_digest = schemas::DigestOf(order.payload);
  order.notice = spec.notice;
  order.start_notice = verifier::StartNoticeOf(spec);
  order.earliest = std::max(spec.from.value_or(Instant{0}), from);
  if (spec.at) order.earliest = *spec.at;
  order.deadline_after = Span{schemas::kSingleWait.milliseconds / 1000};
  return order;
}

void Core::State::PermitLocal(HoldRecord& hold, const schemas::RequestSpec& spec) const {
  ArmDeadline(hold);
  // A start exactly then still needs the moment in which a process is spawned.
  const Instant wanted = std::min(hold.start + schemas::kKeepMax, verifier::LastAllowedStart(spec));
  hold.permit = schemas::Permit{
      .last_start = std::max(wanted, hold.start + hold.order.deadline_after),
      .secret = DrawSecret(options.secret_root, hold.order.fence, ledger.identity().incarnation)};
}

// Books and permits in one write; a refusal leaves nothing behind.
std::optional<VerdictEntry> Core::State::PlaceLocal(const LocalRecord& job, const Fence& fence,
                                                    schemas::Payload payload) {
  schemas::HoldOrder order = LocalOrder(job, fence, std::move(payload));
  // Placed again, it comes no nearer than its user has notice of.
  if (const auto told = verifier::PromiseLost(job.history); told && order.start_notice > Span{0}) {
    const Instant nearest = std::min(
        {*told, verifier::EarliestMove(order, now()), verifier::LastAllowedStart(job.spec)});
    order.allowed = order.allowed.NotBefore(nearest);
  }
  if (order.allowed.empty()) return VerdictEntry{.kind = schemas::VerdictKind::kCountered};
  if (auto refusal = BookNew(order)) return refusal;
  PermitLocal(ledger.Edit(fence), job.spec);
  ledger.SetState(fence, HoldState::kPermitted);
  locals.holds[job.number] = fence;
  touched.insert(fence);
  return std::nullopt;
}

// What the site gives its users where they say nothing, and what it insists on (OpenCCS Sect. 5.1).
schemas::RequestSpec Core::State::WithValues(schemas::RequestSpec spec,
                                             const std::string& user) const {
  const schemas::Capacity capacity = plan.Capacity(now_floor());
  for (schemas::PartSpec& part : spec.parts) verifier::NameProperties(part, {&capacity});
  const rules::Values values(options.rules, user, GroupsNow(user));
  if (values.empty()) return spec;
  spec.duration = values.Duration(spec.duration);
  for (schemas::PartSpec& part : spec.parts) {
    for (schemas::Chunk& chunk : part.chunks) values.FillChunk(chunk.resources, chunk.properties);
  }
  if (!spec.parts.empty()) values.FillJobwide(spec.parts.front().jobwide);
  return spec;
}

void Core::State::Asked(const ClientLine& line, const schemas::Submit& submit) {
  const schemas::RequestSpec spec = WithValues(submit.request, line.user);
  const Digest digest = schemas::DigestOf(submit.request);
  const auto known = locals.keys.find({line.user, submit.key.text});
  if (known != locals.keys.end()) {
    const LocalRecord& job = *FindLocal(known->second);
    if (job.digest == digest) {
      return Tell(line, schemas::Accepted{
                            .requests = {{job.number}}, .states = {job.state}, .repeated = true});
    }
    return Tell(line,
                Refused{.code = "conflict",
                        .message = "'" + submit.key.text + "' was used for job " + options.name +
                                   "/" + std::to_string(job.number) + ", which is another one",
                        .help = "another --once TEXT",
                        .changed = kNothingSubmitted});
  }
  if (disk_low) {
    return Tell(line, Refused{.code = "disk-full",
                              .message = "the disk of " + options.name + " is nearly full",
                              .help = "the operator frees space",
                              .changed = kNothingSubmitted});
  }
  if (Fault fault = verifier::CheckKey(submit.key, now())) return Tell(line, std::move(*fault));
  if (Fault fault = verifier::CheckCounts(options.validities, MemberOf(line.user), now())) {
    return Tell(line, std::move(*fault));
  }
  if (Fault fault = CheckLocal(spec, true)) return Tell(line, std::move(*fault));
  if (Fault fault = verifier::CheckStartNotice(spec, spec.duration, now()))
    return Tell(line, std::move(*fault));
  const size_t open = locals.open[line.user].size();
  if (open >= options.open_jobs_per_user) {
    return Tell(line, Refused{.code = "busy",
                              .message = std::to_string(open) + " jobs are open; at most " +
                                         std::to_string(options.open_jobs_per_user),
                              .help = "wait for some to end",
                              .changed = kNothingSubmitted});
  }
  LocalRecord job{.number = ledger.identity().last_local + 1,
                  .requester = {line.user, GroupsNow(line.user)},
                  .key = submit.key,
                  .digest = digest,
                  .spec = spec,
                  .submitted_at = now()};
  job.spec.payload = {};
  const Fence fence{{}, job.number};
  if (auto refusal = PlaceLocal(job, fence, spec.payload)) {
    return Tell(line, Unplaced(*refusal));
  }
  const uint64_t number = ledger.NextLocal();
  MUSTER_CHECK(number == job.number);
  ledger.EditLocal(number) = std::move(job);
  locals.keys[{line.user, submit.key.text}] = number;
  locals.open[line.user].insert(number);
  NoteLocal(number, "accepted", "accepted, on disk");
  ReportHold(fence);
  Tell(line, schemas::Accepted{.requests = {{number}}, .states = {FindLocal(number)->state}});
}

// --- when would it start?

schemas::ProposalEntry Core::State::LocalEntry(const schemas::RequestSpec& spec,
                                               const std::string& user) const {
  schemas::ProposalEntry entry{
      .user = user,
      .allowed = StartsOfUser(user, verifier::AllowedStarts(spec).NotBefore(now().Ceiling())),
      .want_starts = true,
      .groups = GroupsNow(user)};
  if (!entry.allowed.empty()) entry.asked = entry.allowed.intervals().front().begin;
  for (uint32_t i = 1; i <= spec.parts.size(); ++i) {
    entry.parts.push_back(verifier::DemandOf(spec, i, Span{0}));
  }
  return entry;
}

void Core::State::GetSlots(const ClientLine& line, const schemas::Get& get) {
  if (!get.spec) {
    return Tell(line, Refused{.code = "usage", .message = "slots for which resources?"});
  }
  const schemas::RequestSpec spec = WithValues(*get.spec, line.user);
  if (auto fault = CheckLocal(spec, false)) {
    fault->changed = "nothing was changed";
    return Tell(line, std::move(*fault));
  }
  schemas::Rows rows = NewRows();
  const Instant until = get.until.value_or(now_floor() + options.horizon);
  rows.slots = Slots(LocalEntry(spec, line.user), until, false).slots;
  Tell(line, std::move(rows));
}

void Core::State::Asked(const ClientLine& line, const schemas::Ask& ask) {
  const schemas::RequestSpec spec = WithValues(ask.request, line.user);
  auto fault = verifier::CheckCounts(options.validities, MemberOf(line.user), now());
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
    const std::string when = WhenText(options.validities, MemberOf(line.user));
    if (!when.empty()) {
      return Tell(line, Refused{.code = "never",
                                .message = "nothing of " + line.user + " may start in its window",
                                .detail = when});
    }
    return Tell(line, Refused{.code = "usage", .message = "its window has passed"});
  }
  const schemas::VerdictEntry verdict = plan.Verify({entry}, now_floor(), false).front();
  schemas::OfferView offer{.sites = std::vector(spec.parts.size(), options.name)};
  const bool starts = verdict.kind == VerdictKind::kAccepted ||
                      (verdict.kind == VerdictKind::kCountered && !verdict.starts.empty());
  if (starts) {
    offer.figures = LocalFigures(spec, verdict.start);
    offer.figures.starts_by->firm = false;  // a quote binds nobody
    if (verdict.reason) offer.waits_for = {*verdict.reason};
  } else if (verdict.kind == VerdictKind::kNever) {
    offer.never = verdict.reason;
    offer.largest = verdict.largest;
  } else {
    offer.figures.no_promise_reason =
        verdict.reason.value_or(schemas::Reason{.code = schemas::ReasonCode::kBlocked,
                                                .subject = {.site = options.name},
                                                .text = "there is no start within its window"});
  }
  offer.figures.basis = {{options.name, now(), 0, plan.revision()}};
  schemas::Rows rows = NewRows();
  rows.offers.push_back(std::move(offer));
  Tell(line, std::move(rows));
}

}  // namespace muster::site
