// A reservation is judged by its record and the attempt that binds it, like any other request.
#include "meta/requests/reservations.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/units.h"
#include "meta/requests/credentials.h"
#include "meta/requests/figures.h"
#include "meta/requests/members.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/refusals.h"
#include "meta/requests/site_speeds.h"
#include "partitioner/choose.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using schemas::Refused;

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

Refused Denied(const Request& reservation, const std::string& user) {
  const std::vector<std::string>& allow = reservation.record().spec.reserves->allow;
  const std::string owner = reservation.record().requester.user;
  return {.code = "denied",
          .message = Named(reservation) + " is open to " + owner +
                     (allow.empty() ? "" : ", " + Joined(allow)) + "; you are " + user,
          .help = "its owner may open it: muster alter " + ShownId(reservation) + " --allow …",
          .changed = kNothingSubmitted};
}

}  // namespace

std::optional<ReservedPlace> PlaceOfReservation(const RequestsLayer& f, RequestId id) {
  const Request* request = f.requests.Find(id);
  if (!request || !request->record().spec.reserves || request->Ended() || request->Cancelling() ||
      !request->record().attempt) {
    return std::nullopt;
  }
  const auto it = f.attempts.find(*request->record().attempt);
  if (it == f.attempts.end() || !verifier::Binds(it->second.state())) return std::nullopt;
  const schemas::RequestSpec& spec =
      request->before() ? *request->before() : request->record().spec;
  const Instant start = it->second.record().start;
  return ReservedPlace{it->second.record().members, {start, start + spec.duration}};
}

bool MayUse(const Request& reservation, const Credentials& who) {
  return reservation.record().requester.user == who.user ||
         CoversOneOf(reservation.record().spec.reserves->allow, who);
}

verifier::Fault EnterReservation(const RequestsLayer& f, schemas::RequestSpec& spec,
                                 const std::string& user, Moment now) {
  if (!spec.inside) return std::nullopt;
  const std::string name = "R" + ToText(*spec.inside);
  const Request* reservation = f.requests.Find(*spec.inside);
  if (!reservation || !reservation->record().spec.reserves) {
    return Refused{.code = "not-found",
                   .message = "--in: no reservation " + name + " on record",
                   .help = "muster queue --everyone",
                   .changed = kNothingSubmitted};
  }
  if (!MayUse(*reservation, CredentialsOf(f, spec, user, now))) return Denied(*reservation, user);
  if (reservation->Ended() || reservation->Cancelling()) {
    return Refused{.code = "conflict",
                   .message = "--in: reservation " + name + " has ended",
                   .changed = kNothingSubmitted};
  }
  if (IsStanding(*reservation)) {
    const std::optional<RequestId> next = NextOccurrence(f, *reservation);
    return Refused{
        .code = "usage",
        .message = "--in: " + name + " is a standing reservation; each time is one of its own",
        .help = next ? "the next is R" + ToText(*next) : "",
        .changed = kNothingSubmitted};
  }
  const std::optional<ReservedPlace> place = PlaceOfReservation(f, *spec.inside);
  if (!place) {
    return Refused{.code = "conflict",
                   .message = "--in: reservation " + name + " has no place yet",
                   .help = "muster show " + name,
                   .changed = kNothingSubmitted};
  }
  const Span length = place->span.end - place->span.begin;
  const Span needed = partitioner::LastOffset(spec) - partitioner::FirstOffset(spec) +
                      LengthAt(f, spec, place->sites);
  if (needed > length) {
    return Refused{.code = "never",
                   .message = DurationText(needed) + " are longer than reservation " + name +
                              ", which lasts " + DurationText(length),
                   .changed = kNothingSubmitted};
  }
  std::vector<std::vector<std::string>> may;
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    schemas::PartSpec& part = spec.parts[i];
    may.push_back(partitioner::EligibleSites(part, place->sites));
    if (may.back().empty()) {
      return verifier::Usage("part " + std::to_string(i + 1) + " may not run at " +
                             Joined(place->sites) + ", where reservation " + name + " is");
    }
    part.sites = may.back();
  }
  if (spec.apart && !partitioner::CanBeApart(may)) {
    return verifier::Usage("--apart: reservation " + name + " is at " + Joined(place->sites) +
                           " only");
  }
  return std::nullopt;
}

IntervalSet WithinReservation(const RequestsLayer& f, const schemas::RequestSpec& spec, Span length,
                              const IntervalSet& starts) {
  if (!spec.inside) return starts;
  const std::optional<ReservedPlace> place = PlaceOfReservation(f, *spec.inside);
  if (!place) return {};
  const Instant first = place->span.begin - partitioner::FirstOffset(spec);
  const Instant last = place->span.end - length - partitioner::LastOffset(spec);
  if (last < first) return {};
  return starts.Intersect(IntervalSet({{first, last + Span{1}}}));
}

std::optional<schemas::Reason> ReservationGone(const RequestsLayer& f,
                                               const schemas::RequestSpec& spec) {
  if (!spec.inside) return std::nullopt;
  const std::string name = "R" + ToText(*spec.inside);
  const Request* reservation = f.requests.Find(*spec.inside);
  schemas::Reason reason{.code = schemas::ReasonCode::kReservation, .subject = {.job = name}};
  if (!reservation || reservation->Ended() || reservation->Cancelling()) {
    reason.text = "reservation " + name + " has ended";
    return reason;
  }
  return std::nullopt;
}

LostInside LostWith(const RequestsLayer& f, const std::vector<RequestId>& cancelled, Moment now) {
  std::set<RequestId> reservations;
  for (const RequestId id : cancelled) {
    const Request* request = f.requests.Find(id);
    if (request && request->record().spec.reserves && !request->Ended()) reservations.insert(id);
  }
  LostInside lost;
  if (reservations.empty()) return lost;
  for (const RequestId id : f.requests.open()) {
    const Request& request = *f.requests.Find(id);
    const std::optional<RequestId>& inside = request.record().spec.inside;
    if (!inside || !reservations.contains(*inside) || request.Cancelling()) continue;
    const bool itself =
        std::find(cancelled.begin(), cancelled.end(), id) != cancelled.end() ||
        std::find(cancelled.begin(), cancelled.end(), RequestId{id.job()}) != cancelled.end();
    const schemas::Figures figures = FiguresNow(f, request, now);
    if (itself || !figures.starts_by || !figures.starts_by->firm) continue;
    schemas::MoveRow row{.job = ShownId(request),
                         .before = figures.starts_by->at,
                         .because = "reservation R" + ToText(*inside) + " cancelled"};
    const bool runs = request.state() >= schemas::RequestState::kStarting;
    (runs ? lost.running : lost.promised).push_back(std::move(row));
  }
  return lost;
}

void TellThoseInside(RequestsLayer& f, const Request& reservation) {
  if (!reservation.record().spec.reserves) return;
  f.attempts.Tell(ReservationMoved{reservation.id()});
}

}  // namespace muster::meta
