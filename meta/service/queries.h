// Answers `get`, whatever its kind. Every user may see who runs what and when. Output is shown to
// the owner and to operators, keys and the audit log only to operators. protocol.md section 2b
// (get), cli.md section 3.
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnGet(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

}  // namespace muster::meta
