// One row per answer. Orders count as rounds of their own, so a refused hold shows where it came in
// the sequence.
#include "meta/requests/verdict_log.h"

#include <algorithm>
#include <string>
#include <utility>

#include "partitioner/fits.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

using schemas::VerdictKind;
using schemas::VerdictRow;

std::string Word(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kAccepted:
      return "accepted";
    case VerdictKind::kCountered:
      return "countered";
    case VerdictKind::kNever:
      return "never";
    case VerdictKind::kBlocked:
      return "blocked";
    case VerdictKind::kUnanswered:
      break;
  }
  return "unanswered";
}

void Keep(Request& request, VerdictRow row) {
  request.verdicts.push_back(std::move(row));
  if (request.verdicts.size() > schemas::kVerdictRows) request.verdicts.pop_front();
}

VerdictRow RowOf(const Turn& t, const Site& site, std::string how,
                 const schemas::VerdictEntry& verdict) {
  VerdictRow row;
  row.at = t.plan;
  row.how = std::move(how);
  row.site = site.name;
  row.verdict = Word(verdict.kind);
  const bool starts =
      verdict.kind == VerdictKind::kAccepted || verdict.kind == VerdictKind::kCountered;
  if (starts) row.start = verdict.start;
  row.starts = verdict.starts;
  row.reason = verdict.reason;
  row.plan_revision = site.plan;
  return row;
}

}  // namespace

void LogRound(Request& request) { ++request.rounds; }

void LogAnswer(const Turn& t, Request& request, const Site& site, const std::vector<size_t>& parts,
               Instant asked, const schemas::VerdictEntry& verdict) {
  VerdictRow row = RowOf(t, site, "proposal", verdict);
  row.round = request.rounds;
  for (const size_t part : parts) {
    row.part += row.part.empty() ? ToText(request.id()) + "." : "+";
    row.part += std::to_string(part + 1);
  }
  row.asked = asked;
  Keep(request, std::move(row));
}

void LogRefusal(RequestsLayer& f, const Turn& t, const Attempt& attempt, const Site& site,
                const std::optional<schemas::VerdictEntry>& verdict) {
  Request* request = f.requests.Find(attempt.record().request);
  if (!request) return;
  VerdictRow row = RowOf(t, site, "hold", verdict.value_or(schemas::VerdictEntry{}));
  row.round = ++request->rounds;
  row.asked = attempt.record().start;
  Keep(*request, std::move(row));
}

void LogGrant(const Turn& t, Request& request, const Attempt& attempt, const Site& site,
              const schemas::HoldChanged& change) {
  if (change.state == schemas::HoldState::kNone || change.state >= schemas::HoldState::kPermitted) {
    return;
  }
  VerdictRow row;
  row.at = t.plan;
  row.how = "hold";
  row.site = site.name;
  row.asked = attempt.record().start;
  row.verdict = change.state == schemas::HoldState::kHeld       ? "held"
                : change.state == schemas::HoldState::kPrepared ? "prepared"
                                                                : "committed";
  row.start = change.start;
  row.plan_revision = site.plan;
  // The members of one attempt answer the same order, so they share a round.
  if (request.logged != attempt.fence()) ++request.rounds;
  request.logged = attempt.fence();
  row.round = request.rounds;
  Keep(request, std::move(row));
}

schemas::Reason WhyNever(const Request& request, size_t part,
                         const std::vector<std::string>& sites) {
  const std::string name = ToText(request.id()) + "." + std::to_string(part + 1);
  schemas::Reason out;
  for (const std::string& site : sites) {
    const auto row = std::find_if(
        request.verdicts.rbegin(), request.verdicts.rend(), [&](const VerdictRow& one) {
          return one.site == site && one.reason && one.verdict == Word(VerdictKind::kNever) &&
                 (one.part.empty() || one.part == name);
        });
    if (row == request.verdicts.rend() || row->reason->text.empty()) continue;
    // If the sites' reasons are of different kinds, the code is kNode.
    const bool same = out.text.empty() || out.code == row->reason->code;
    out.code = same ? row->reason->code : schemas::ReasonCode::kNode;
    out.text += (out.text.empty() ? "" : "; ") + site + ": " + row->reason->text;
  }
  if (!out.text.empty()) return out;
  return {.code = schemas::ReasonCode::kNode,
          .text = "no site can ever run " +
                  partitioner::ChunksText(request.record().spec.parts[part].chunks)};
}

}  // namespace muster::meta
