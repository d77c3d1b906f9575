// Answers to `get`: jobs, sites, digest. Everybody sees who runs what and when; output is the
// owner's. protocol.md section 2b (get), cli.md section 3.
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnGet(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

}  // namespace muster::meta
