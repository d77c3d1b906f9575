// Until when requests that wait may still start: those whose window passes are looked at when it
// has (RequestsLayer::windows).
#pragma once

#include "meta/requests/layer.h"

namespace muster::meta {

// The last start that its window allows now is looked out for; one that may start at any time is
// not.
void WatchWindow(RequestsLayer& f, const Request& request);
// No more; a last start that it had before its sites or its specification changed stays, and is
// passed over when it comes.
void ForgetWindow(RequestsLayer& f, const Request& request);

}  // namespace muster::meta
