// Changes of what runs, told to its sites: more time, other counts of malleable chunks, and who may
// use a reservation. Orders like those of operators (steer): durable before they are said, said
// until they are answered. protocol.md section 2b, OpenCCS Sect. 6 (future work).
#pragma once

#include "meta/service/client_service.h"
#include "meta/service/layer.h"

namespace muster::meta {

// Tells the sites; the act of this number is answered when they have. A refusal otherwise.
std::optional<schemas::Refused> AlterRunning(ServiceLayer& f, Turn& t, uint64_t number,
                                             Request& request, const schemas::RequestSpec& next);
// Tells the site of a reservation to whom it is open.
void ShareReservation(ServiceLayer& f, Turn& t, const Request& request, const std::string& user);

// What became of one request of this act is known without waiting.
void DecideAltered(ServiceLayer& f, uint64_t number, RequestId id, std::string note);
// What became of one request of an act that waits; its answer leaves with the last one.
void NoteAltered(ServiceLayer& f, Turn& t, RequestId id, std::string note);
void NoteNotAltered(ServiceLayer& f, Turn& t, RequestId id, schemas::Refused why);

}  // namespace muster::meta
