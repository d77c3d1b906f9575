// Rotates, revokes and lists keys, and lists the audit log for operators. cli.md section 2 (keys,
// audit).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnRotateKey(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
void OnRevokeKey(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
void GetKeys(ServiceLayer& f, Turn& t, const Asker& asker);
void GetAudit(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

}  // namespace muster::meta
