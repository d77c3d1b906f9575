// Watches the windows of waiting requests: a request is looked at once its last allowed start has
// passed (RequestsLayer::windows).
#pragma once

#include "meta/requests/layer.h"

namespace muster::meta {

// Watches for the last start that the request's window allows now; does nothing if there is no last
// start.
void WatchWindow(RequestsLayer& f, const Request& request);
// Stops watching. An entry for a last start from before its sites or its specification changed
// stays, and is ignored when its time comes.
void ForgetWindow(RequestsLayer& f, const Request& request);

}  // namespace muster::meta
