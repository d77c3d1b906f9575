// Calls that still go up to a higher room name it here: every layer of a core is part of its
// highest one. tests/lint/upward.txt lists the files.
#pragma once

#include "meta/service/layer.h"

namespace muster::meta {

inline ServiceLayer& Above(TurnLayer& f) { return static_cast<ServiceLayer&>(f); }
inline const ServiceLayer& Above(const TurnLayer& f) { return static_cast<const ServiceLayer&>(f); }

}  // namespace muster::meta
