// Answers which points a request has, why, and what would give it more. cli.md section 2
// (priority).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

// The request whose priority is asked for; null after a refusal.
const Request* AskedAbout(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
schemas::PriorityView PriorityOf(const ServiceLayer& f, const Turn& t, const Request& request);

}  // namespace muster::meta
