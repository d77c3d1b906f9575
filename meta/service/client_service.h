// Handles messages of users and operators. protocol.md section 2b, cli.md sections 1, 3 and 4.
#pragma once

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

void OnClient(ServiceLayer& f, Turn& t, const ClientSays& says);

}  // namespace muster::meta
