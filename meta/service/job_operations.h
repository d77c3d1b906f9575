// Acts on jobs: hold them, release them, cancel them, and settle an unknown outcome. Each acts on a
// job or on all elements of an array. If one job of a list is refused, no job changes. protocol.md
// section 2b (act, cancel), cli.md section 2 (Operate).
#pragma once

#include <string>

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnPark(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
void OnSettle(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
void OnCancel(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Cancel& cancel);

// Cancels one request, or all elements of an array. Returns the result as a line for people.
std::string CancelOne(ServiceLayer& f, Turn& t, Request& request, const std::string& user);

}  // namespace muster::meta
