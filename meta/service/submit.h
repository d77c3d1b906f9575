// Checks, writes and acknowledges a request, in this order. An accepted request is on disk before
// the answer is sent, since messages follow the batch. protocol.md section 2b (submit).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnSubmit(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Submit& submit);

}  // namespace muster::meta
