// A request is checked, written and acknowledged, in this order: what was accepted is on disk when
// the answer leaves, since messages follow the batch. protocol.md section 2b (submit).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnSubmit(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Submit& submit);

}  // namespace muster::meta
