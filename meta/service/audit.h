// Acts that are to be accounted for go into the audit log. cli.md section 2 (audit).
#pragma once

#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// One line of the audit log. `who` as in "user:root".
void Audit(ServiceLayer& f, Turn& t, std::string who, std::string verb, std::string what,
           std::string result);
// The audit log keeps kRecordKeep.
void ForgetOldAudit(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
