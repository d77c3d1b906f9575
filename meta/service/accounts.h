// Answers what accounts have and what was posted to them, and posts what operators order. cli.md
// section 2 (account).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void GetAccounts(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
void GetStatement(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
void OnPost(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

}  // namespace muster::meta
