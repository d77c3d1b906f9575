// See admission.h.
#include "site/planning/admission.h"

#include <algorithm>
#include <utility>

#include "schemas/canonical.h"
#include "schemas/limits.h"

namespace muster::site {
namespace {

using schemas::PartDemand;
using schemas::Reason;
using schemas::ReasonCode;

// Longest span of a part: longer than any horizon, and so short that sums of a few stay far below
// what an Instant holds.
constexpr Span kLongest{int64_t{1} << 32};
// Most of one resource over a part: enough for the bytes of any real machine, and so little that
// sums over a site cannot overflow.
constexpr int64_t kMostOfOne = int64_t{1} << 56;

Reason Fault(std::string text) { return {.code = ReasonCode::kJob, .text = std::move(text)}; }

bool Within(Span span, Span least) { return span >= least && span <= kLongest; }

std::optional<Reason> FaultOf(const PartDemand& part) {
  if (part.chunks.empty() || part.chunks.size() > schemas::kChunksPerPart) {
    return Fault("a part has 1 to " + std::to_string(schemas::kChunksPerPart) + " chunks");
  }
  if (!Within(part.duration, {1})) return Fault("a part's duration is positive");
  if (!Within(part.offset, {0}) || !Within(part.tail, {0})) {
    return Fault("a part's offset and tail are not negative");
  }
  std::map<std::string, int64_t> sums;
  for (const schemas::Chunk& chunk : part.chunks) {
    if (chunk.count < 1 || chunk.count > schemas::kChunkCount) {
      return Fault("a chunk's count is 1 to " + std::to_string(schemas::kChunkCount));
    }
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (amount < 0 || amount > kMostOfOne / chunk.count) {
        return Fault("the amount of '" + name + "' is out of range");
      }
      int64_t& sum = sums[name];
      sum += amount * chunk.count;
      if (sum > kMostOfOne) return Fault("the amount of '" + name + "' is out of range");
    }
  }
  return std::nullopt;
}

constexpr char kTermsAre[] =
    "a contract has a grace of at most 10 min, a least run of at most a day, and 1 to 100 recalls";
static_assert(schemas::kRecallsMost == 100);
constexpr char kOnlyLentIs[] =
    "only a job of one part, with a contract and outside of reservations, has lent room alone";

}  // namespace

std::optional<Reason> FaultOf(const std::vector<PartDemand>& parts) {
  if (parts.empty() || parts.size() > schemas::kPartsPerRequest) {
    return Fault("a hold has 1 to " + std::to_string(schemas::kPartsPerRequest) + " parts");
  }
  uint32_t before = 0;
  for (const PartDemand& part : parts) {
    if (part.index <= before || part.index > schemas::kPartsPerRequest) {
      return Fault("part numbers ascend from 1");
    }
    before = part.index;
    if (auto fault = FaultOf(part)) return fault;
  }
  return std::nullopt;
}

bool Sane(const schemas::Contract& contract) {
  const auto within = [](Span span, Span most) { return span >= Span{0} && span <= most; };
  return within(contract.grace, schemas::kGraceMost) &&
         within(contract.min_run, schemas::kMinRunMost) && contract.max_recalls >= 1 &&
         contract.max_recalls <= schemas::kRecallsMost;
}

std::optional<Reason> WhyNoAccount(const std::string& user, const Options& options) {
  const std::map<std::string, std::string>& accounts = options.facts.accounts;
  auto found = accounts.find(user);
  if (found == accounts.end()) found = accounts.find("*");
  if (found == accounts.end() || found->second.empty()) return std::nullopt;
  return Reason{.code = ReasonCode::kPolicy,
                .text = "user '" + user + "' has no account here: " + found->second};
}

std::optional<Reason> FaultOf(const schemas::ProposalEntry& entry, const Options& options) {
  if (auto fault = FaultOf(entry.parts)) return fault;
  if (auto reason = WhyNoAccount(entry.user, options)) return reason;
  if (!entry.only_lent) return std::nullopt;
  if (!Sane(*entry.only_lent)) return Fault(kTermsAre);
  if (entry.parts.size() > 1 || entry.inside) return Fault(kOnlyLentIs);
  return std::nullopt;
}

std::optional<Reason> FaultOf(const schemas::HoldOrder& order, const Options& options) {
  if (auto fault = FaultOf(order.parts)) return fault;
  if (order.only_lent &&
      (!order.contract || order.part_count > 1 || order.inside || order.reserves)) {
    return Fault(kOnlyLentIs);
  }
  if (order.part_count > schemas::kPartsPerRequest || order.parts.back().index > order.part_count ||
      order.part_sites.size() > schemas::kPartsPerRequest) {
    return Fault("part numbers lie within the request's parts");
  }
  if (order.members.empty() || order.members.size() > schemas::kPartsPerRequest ||
      std::find(order.members.begin(), order.members.end(), options.name) == order.members.end()) {
    return Fault("'" + options.name + "' is no member of this attempt");
  }
  if (order.requester.user.empty() || order.requester.user.size() > schemas::kNameBytes ||
      order.job_name.size() > schemas::kNameBytes) {
    return Fault("names have 1 to " + std::to_string(schemas::kNameBytes) + " bytes");
  }
  if (order.deadline_after < Span{1} || order.deadline_after > schemas::kKeepMax) {
    return Fault("D lies 1 s to 24 h after the start");
  }
  if (order.stage == schemas::HoldState::kHeld && order.lease <= BootSpan{0}) {
    return Fault("a lease is positive");
  }
  if (order.payload.script.size() > schemas::kScriptBytes) {
    return Fault("a script has at most 1 MiB");
  }
  if (order.contract && !Sane(*order.contract)) return Fault(kTermsAre);
  if (schemas::DigestOf(order.payload) != order.payload_digest) {
    return Fault("the payload's digest is not that of the payload");
  }
  return std::nullopt;
}

bool Sane(const schemas::Permit& permit) {
  if (permit.last_start < Instant{0} || permit.last_start > kFarFuture) return false;
  if (permit.rendezvous.size() > schemas::kPartsPerRequest) return false;
  return std::all_of(permit.rendezvous.begin(), permit.rendezvous.end(),
                     [](const std::string& at) { return at.size() <= 2 * schemas::kNameBytes; });
}

bool Sane(const schemas::ProtocolValues& v) {
  const auto within = [](BootSpan span) {
    return span > BootSpan{0} && span <= ToBootSpan(schemas::kKeepMax);
  };
  // An ideal link has neither a lead nor a heartbeat.
  const bool beats = v.heartbeat == BootSpan{0} ||
                     (v.heartbeat >= Milliseconds(20) && v.heartbeat <= Seconds(600));
  return beats && v.lead >= BootSpan{0} && within(v.start_wait) && within(v.permit_window) &&
         within(v.answer_wait) && within(v.settle) && within(v.partner_wait) && within(v.lease) &&
         v.lead <= v.start_wait && v.permit_window < v.start_wait;
}

schemas::VerdictEntry Never(Reason reason) {
  return {.kind = schemas::VerdictKind::kNever, .reason = std::move(reason)};
}

schemas::VerdictEntry Blocked(ReasonCode code, std::string resource, std::string text) {
  return {.kind = schemas::VerdictKind::kBlocked,
          .reason = Reason{.code = code, .resource = std::move(resource), .text = std::move(text)}};
}

}  // namespace muster::site
