// Answers which points a request has, why, and what would give it more. cli.md section 2
// (priority).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void GetPriority(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

}  // namespace muster::meta
