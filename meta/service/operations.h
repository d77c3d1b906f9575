// Acts of owners and operators on jobs, nodes, sites and keys: one verb on named targets, durable
// before it is accepted. Operators' acts go into the audit log, except park and unpark, which the
// job's timeline tells. protocol.md section 2b (act, steer), cli.md section 2 (Operate).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnAct(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

}  // namespace muster::meta
