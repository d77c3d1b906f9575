// What owners and operators do to jobs: hold them, let them go, cancel them, and settle what is not
// known of them. A job, or all elements of an array; of a list of jobs all or none. protocol.md
// section 2b (act, cancel), cli.md section 2 (Operate).
#pragma once

#include <string>

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnPark(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
void OnSettle(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
void OnCancel(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Cancel& cancel);

// Cancels one request, or all elements of an array; a line for people.
std::string CancelOne(ServiceLayer& f, Turn& t, Request& request, const std::string& user);

}  // namespace muster::meta
