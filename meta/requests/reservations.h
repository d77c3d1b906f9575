// Reservations: requests that run nothing and are opened to certain users, and the jobs inside
// them. A reservation has a job number, shown as R7; the site plans the jobs inside in a system of
// its own. OpenCCS Sect. 4 (rRS) and 5.4, cli.md sections 2 and 3 (reserve, --in).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/credentials.h"
#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "verifier/client_checks.h"

namespace muster::meta {

// Sites and time of a promised reservation.
struct ReservedPlace {
  std::vector<std::string> sites;  // those that hold its parts, ascending
  Interval span;
};
std::optional<ReservedPlace> PlaceOfReservation(const RequestsLayer& f, RequestId id);

// Whether a job with these credentials may use the reservation: as its owner's, or because it is
// open to them.
bool MayUse(const Request& reservation, const Credentials& who);

// Checks `spec.inside`, and restricts the parts to the reservation's sites.
verifier::Fault EnterReservation(const RequestsLayer& f, schemas::RequestSpec& spec,
                                 const std::string& user, Moment now);

// Those of `starts` that the reservation in `spec.inside` allows, or none while it has no place.
// All of them without `spec.inside`.
IntervalSet WithinReservation(const RequestsLayer& f, const schemas::RequestSpec& spec, Span length,
                              const IntervalSet& starts);

// Why a job inside can never start; none while it still can.
std::optional<schemas::Reason> ReservationGone(const RequestsLayer& f,
                                               const schemas::RequestSpec& spec);

// The other jobs inside of the reservations among `cancelled`: promised ones, which would lose
// their place, and running ones, which would be stopped. Each row has the start as promised.
struct LostInside {
  std::vector<schemas::MoveRow> promised;
  std::vector<schemas::MoveRow> running;
};
LostInside LostWith(const RequestsLayer& f, const std::vector<RequestId>& cancelled, Moment now);

// Makes the jobs inside look for a place again after the reservation has changed or ended. Does
// nothing for a request that is no reservation.
void TellThoseInside(RequestsLayer& f, const Request& reservation);

}  // namespace muster::meta
