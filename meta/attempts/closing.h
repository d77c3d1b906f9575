// How attempts leave the books.
#pragma once

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Takes a closed attempt off the books; what its request still shows of it stays on record.
void CloseAttempt(AttemptsLayer& f, Turn& t, Attempt& attempt);
// Takes the records of an attempt away that no request shows any more. REQUIRES: it is closed or
// unknown.
void EraseAttempt(AttemptsLayer& f, const Fence& fence);

}  // namespace muster::meta
