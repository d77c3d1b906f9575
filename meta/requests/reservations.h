// Reservations: requests that run nothing and are opened to those allowed, and the jobs inside
// them. A reservation's number is one of the jobs', shown as R7; the site plans what is inside in a
// system of its own. OpenCCS Sect. 4 (rRS) and 5.4, cli.md sections 2 and 3 (reserve, --in).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "verifier/client_checks.h"

namespace muster::meta {

// Where and when a reservation is, once it is promised.
struct ReservedPlace {
  std::vector<std::string> sites;  // one a part, ascending
  Interval span;
};
std::optional<ReservedPlace> PlaceOfReservation(const RequestsLayer& f, RequestId id);

// Its owner and those it is open to may use it.
bool MayUse(const RequestsLayer& f, const Request& reservation, const std::string& user,
            Moment now);

// Checks `spec.inside`, and keeps the parts to the reservation's sites.
verifier::Fault EnterReservation(const RequestsLayer& f, schemas::RequestSpec& spec,
                                 const std::string& user, Moment now);

// Starts that are allowed as far as the reservation it is inside of goes; empty while that has no
// place.
IntervalSet WithinReservation(const RequestsLayer& f, const schemas::RequestSpec& spec, Span length,
                              const IntervalSet& starts);

// Why a job inside can never start any more; none while it can.
std::optional<schemas::Reason> ReservationGone(const RequestsLayer& f,
                                               const schemas::RequestSpec& spec);

// What cancelling these would take from jobs inside of reservations among them, those that are
// cancelled themselves left out: their start as told, or of what runs and would be stopped its
// start as it was.
struct LostInside {
  std::vector<schemas::MoveRow> promised;
  std::vector<schemas::MoveRow> running;
};
LostInside LostWith(const RequestsLayer& f, const std::vector<RequestId>& cancelled, Moment now);

// The jobs inside of a reservation that ended, lost its place or was given another are looked at
// again.
void TellThoseInside(RequestsLayer& f, const Request& reservation);

}  // namespace muster::meta
