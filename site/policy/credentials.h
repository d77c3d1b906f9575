// Under what the work of a hold runs.
#pragma once

#include "base/credentials.h"
#include "schemas/hold.h"

namespace muster::site {

Credentials CredentialsOf(const schemas::HoldOrder& order);

}  // namespace muster::site
