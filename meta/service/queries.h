// Answers `get`: jobs, sites, digest. Every user may see who runs what and when; only the owner may
// see output. protocol.md section 2b (get), cli.md section 3.
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnGet(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

}  // namespace muster::meta
