// Collects the results of an alteration (Altering). The client is answered once the result for
// every named request is known. cli.md section 3 (alter).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Number of the alteration that awaits a result for this request; none if no alteration does.
std::optional<uint64_t> AlteringOf(const ServiceLayer& f, RequestId id);

// Records a result for one request of this alteration that is known at once.
void DecideAltered(ServiceLayer& f, uint64_t number, RequestId id, std::string note);
// Record the result for one request if an alteration awaits it. The last result sends the answer.
void NoteAltered(ServiceLayer& f, Turn& t, RequestId id, std::string note);
void NoteNotAltered(ServiceLayer& f, Turn& t, RequestId id, schemas::Refused why);
// Sends the answer if the results for all requests are known.
void FinishAltering(ServiceLayer& f, Turn& t, uint64_t number);

// Records the results reported so far (AlterationNews) in the alterations that await them.
void TellAltered(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
