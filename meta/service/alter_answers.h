// Who asked for an alteration (Altering) waits until it is known of each request what became of it.
// Whoever learns that says it here, and the answer leaves with the last one. cli.md section 3
// (alter).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// The alteration that waits for this request.
std::optional<uint64_t> AlteringOf(const ServiceLayer& f, RequestId id);

// What became of one request of this act is known without waiting.
void DecideAltered(ServiceLayer& f, uint64_t number, RequestId id, std::string note);
// What became of one request of an act that waits; its answer leaves with the last one.
void NoteAltered(ServiceLayer& f, Turn& t, RequestId id, std::string note);
void NoteNotAltered(ServiceLayer& f, Turn& t, RequestId id, schemas::Refused why);
// The answer leaves if it is known of all requests.
void FinishAltering(ServiceLayer& f, Turn& t, uint64_t number);

// Tells those who wait for alterations what became of them (AlterationNews), so far.
void TellAltered(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
