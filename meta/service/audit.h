// Records acts in the audit log. cli.md section 2 (audit).
#pragma once

#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Adds one line to the audit log. `who` has the form "user:root".
void Audit(ServiceLayer& f, Turn& t, std::string who, std::string verb, std::string what,
           std::string result);
// Removes lines older than kRecordKeep.
void ForgetOldAudit(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
