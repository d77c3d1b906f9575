// The timeline of a request, as its user reads it.
#pragma once

#include <string>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Adds a line to the request's timeline, and an event of the federation.
void AddEvent(RequestsLayer& f, Turn& t, Request& request, std::string code, std::string text,
              std::string site = "", uint32_t part = 0);

}  // namespace muster::meta
