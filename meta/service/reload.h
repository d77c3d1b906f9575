// Reads the configuration again: the shell reads and checks the file, the core takes over what may
// change while it runs. cli.md section 2 (reload).
#pragma once

#include <string>
#include <vector>

#include "meta/service/asker.h"
#include "meta/service/layer.h"
#include "meta/turn/events.h"

namespace muster::meta {

void OnReload(ServiceLayer& f, Turn& t, const Asker& asker);
// Returns sites that had a link and are no longer listed; they are silent from now on.
std::vector<std::string> OnReconfigured(ServiceLayer& f, Turn& t, const Reconfigured& event);

}  // namespace muster::meta
