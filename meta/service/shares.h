// Answers how each share stands. cli.md section 2 (shares).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void GetShares(ServiceLayer& f, Turn& t, const Asker& asker);

}  // namespace muster::meta
