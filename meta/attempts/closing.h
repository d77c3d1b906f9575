// How attempts are closed and erased.
#pragma once

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Removes a closed attempt from all indices and shadows; its record stays while its request shows
// it.
void CloseAttempt(AttemptsLayer& f, Turn& t, Attempt& attempt);
// Erases the records of an attempt that no request shows any more. REQUIRES: it is closed or
// unknown.
void EraseAttempt(AttemptsLayer& f, const Fence& fence);

}  // namespace muster::meta
