// Placing local jobs: whether the site can take the request, and its place, booked and permitted in
// one write. A site keeps no queue. protocol.md sections 2b, 3.1 (local jobs).
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/canonical.h"
#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/local/local_jobs.h"
#include "site/local/local_users.h"
#include "site/plan/rules/request_values.h"
#include "site/planning/admission.h"
#include "site/planning/environment.h"
#include "verifier/client_checks.h"
#include "verifier/fits.h"
#include "verifier/request_times.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::HoldState;
using schemas::LocalRecord;
using schemas::Refused;
using schemas::VerdictEntry;
using schemas::VerdictKind;
using verifier::Fault;

namespace {

// Derives a job's secret from this process's own root: one secret reveals nothing about another.
Secret DrawSecret(const Secret& root, const Fence& fence, Incarnation incarnation) {
  schemas::CanonicalWriter writer;
  for (const uint8_t byte : root.bytes) writer.Put(byte);
  writer.Put(fence);
  writer.Put(incarnation);
  return {schemas::Hash(writer.bytes()).bytes};
}

}  // namespace

Fault LocalJobs::CheckLocal(const schemas::RequestSpec& spec, bool with_payload) const {
  if (spec.array || !spec.after.empty()) {
    return verifier::Usage(spec.array ? "a site alone takes no arrays"
                                      : "a site alone knows no other jobs to wait for",
                           "submit it to the federation, without --via");
  }
  if (!spec.account.empty() || !spec.qos.empty()) {
    return verifier::Usage(
        std::string("a site alone knows no ") + (spec.account.empty() ? "QoS" : "accounts"),
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
      return std::find(sites.begin(), sites.end(), options().name) != sites.end();
    };
    if ((!part.sites.empty() && !named(part.sites)) || named(part.not_sites)) {
      return verifier::Usage(name + " may not run at " + options().name + ", where it is submitted",
                             "submit it to the federation, without --via");
    }
  }
  if (Fault fault = verifier::CheckTimes(spec, now())) return fault;
  if (Fault fault = verifier::CheckWindow(spec, spec.duration, now())) return fault;
  if (Fault fault = verifier::CheckNotice(spec)) return fault;
  if (with_payload) {
    if (Fault fault = verifier::CheckPayload(spec)) return fault;
  }
  const schemas::Capacity capacity = plan().Capacity(now_floor());
  for (const schemas::PartSpec& part : spec.parts) {
    const auto misfit = verifier::WhyNever(part, capacity);
    if (!misfit) continue;
    std::string help;
    if (!misfit->largest.empty()) {
      help = "the largest here is -l " + verifier::ChunksOption(misfit->largest);
    }
    return Refused{
        .code = "never",
        .message = options().name + " can never run " + verifier::ChunksText(part.chunks),
        .detail = misfit->text,
        .help = std::move(help),
        .changed = kNothingSubmitted};
  }
  return std::nullopt;
}

// A site keeps no queue: a job without a place is refused, with the starts or sizes that would be
// possible.
Refused LocalJobs::Unplaced(const VerdictEntry& verdict) const {
  Refused out{.code = "never",
              .message = options().name + " has no room for it within its window",
              .changed = kNothingSubmitted};
  const bool broken = verdict.reason && verdict.reason->code == schemas::ReasonCode::kNode;
  if (verdict.kind == schemas::VerdictKind::kBlocked && broken) {
    out.code = "busy";
    out.message = options().name + " has no room for it until something is repaired";
  }
  if (verdict.reason && verdict.reason->code == schemas::ReasonCode::kShare) out.code = "busy";
  if (verdict.kind == schemas::VerdictKind::kNever)
    out.message = options().name + " can never run it";
  if (verdict.reason) out.detail = verdict.reason->text;
  if (verdict.reason && verdict.reason->until && out.code == "busy" && !broken) {
    out.help = "new work may start from " + Rfc3339(*verdict.reason->until);
  } else if (!verdict.starts.empty()) {
    out.help = "it could start at " + Rfc3339(verdict.starts.intervals().front().begin);
  } else {
    out.help = "another site may take it: submit it to the federation, without --via";
  }
  return out;
}

schemas::HoldOrder LocalJobs::LocalOrder(const LocalRecord& job, const Fence& fence,
                                         schemas::Payload payload) const {
  const schemas::RequestSpec& spec = job.spec;
  const Instant from = now().Ceiling();
  schemas::HoldOrder order{
      .fence = fence,
      .request = {job.number},
      .job_name = spec.name,
      .requester = job.requester,
      .request_class = spec.request_class,
      .members = {options().name},
      .part_count = static_cast<uint32_t>(spec.parts.size()),
      .part_sites = std::vector(spec.parts.size(), options().name),
      .payload = std::move(payload),
      .allowed = StartsOfUser(options(), job.requester.user,
                              verifier::AllowedStarts(spec, LongestHere(spec)).NotBefore(from),
                              now_floor()),
      .stage = HoldState::kCommitted,
      .home = true};
  for (uint32_t i = 1; i <= order.part_count; ++i) {
    order.parts.push_back(verifier::DemandOf(spec, i, Span{0}));
  }
  order.payload_digest = schemas::DigestOf(order.payload);
  if (options().priority) order.waits_since = job.submitted_at;
  order.notice = spec.notice;
  order.start_notice = verifier::StartNoticeOf(spec);
  order.earliest = std::max(spec.from.value_or(Instant{0}), from);
  if (spec.at) order.earliest = *spec.at;
  order.deadline_after = Span{schemas::kSingleWait.milliseconds / 1000};
  return order;
}

OwnPermit LocalJobs::PermitOf(const Fence& fence, const schemas::RequestSpec& spec) const {
  return {.latest = verifier::LastAllowedStart(spec, LongestHere(spec)),
          .secret = DrawSecret(options().secret_root, fence, ledger().identity().incarnation)};
}

// Books and permits in one write; a refusal leaves nothing behind.
std::optional<VerdictEntry> LocalJobs::PlaceLocal(const LocalRecord& job, const Fence& fence,
                                                  schemas::Payload payload) {
  schemas::HoldOrder order = LocalOrder(job, fence, std::move(payload));
  // A job that is placed again starts no sooner than its start notice allows. It may start sooner
  // only from the start on that it was promised before, or at its last allowed start.
  if (const auto told = verifier::PromiseLost(job.history); told && order.start_notice > Span{0}) {
    const Instant nearest = std::min({*told, verifier::EarliestMove(order, now()),
                                      verifier::LastAllowedStart(job.spec, LongestHere(job.spec))});
    order.allowed = order.allowed.NotBefore(nearest);
  }
  if (order.allowed.empty()) return VerdictEntry{.kind = schemas::VerdictKind::kCountered};
  OwnPermit permit = PermitOf(fence, job.spec);
  permit.was_promised = verifier::PromiseLost(job.history).has_value();
  if (auto refusal = PlaceOwn(order, permit)) return refusal;
  Place(job.number, fence);
  return std::nullopt;
}

// Applies the site's defaults where the user says nothing, and the values it insists on (OpenCCS
// Sect. 5.1).
schemas::RequestSpec LocalJobs::WithValues(schemas::RequestSpec spec,
                                           const std::string& user) const {
  const schemas::Capacity capacity = plan().Capacity(now_floor());
  for (schemas::PartSpec& part : spec.parts) verifier::NameProperties(part, {&capacity});
  const rules::Values values(options().rules, user, GroupsNow(options(), user, now_floor()));
  if (values.empty()) return spec;
  spec.duration = values.Duration(spec.duration);
  for (schemas::PartSpec& part : spec.parts) {
    for (schemas::Chunk& chunk : part.chunks) values.FillChunk(chunk.resources, chunk.properties);
  }
  if (!spec.parts.empty()) values.FillJobwide(spec.parts.front().jobwide);
  return spec;
}

schemas::ProposalEntry LocalJobs::LocalEntry(const schemas::RequestSpec& spec,
                                             const std::string& user) const {
  schemas::ProposalEntry entry{
      .user = user,
      .allowed = StartsOfUser(
          options(), user,
          verifier::AllowedStarts(spec, LongestHere(spec)).NotBefore(now().Ceiling()), now_floor()),
      .want_starts = true,
      .groups = GroupsNow(options(), user, now_floor())};
  entry.request_class = spec.request_class;
  if (!entry.allowed.empty()) entry.asked = entry.allowed.intervals().front().begin;
  for (uint32_t i = 1; i <= spec.parts.size(); ++i) {
    entry.parts.push_back(verifier::DemandOf(spec, i, Span{0}));
  }
  return entry;
}

std::optional<VerdictEntry> LocalJobs::Begin(LocalRecord job, schemas::Payload payload) {
  const Fence fence{{}, job.number};
  if (auto none = WhyNoAccount(job.requester.user, options())) return Never(*std::move(none));
  if (auto refusal = PlaceLocal(job, fence, std::move(payload))) return refusal;
  const uint64_t number = job.number;
  if (number > ledger().identity().last_local) MUSTER_CHECK(NextJob() == number);
  Enter(std::move(job));
  NoteLocal(number, "accepted", "accepted, on disk");
  ReportHold(fence);
  HearHolds();
  return std::nullopt;
}

}  // namespace muster::site
