// What became of the alterations that requests were tried with: told by whoever finds out, to
// whoever waits for it (meta/service/alter_answers.h).
#pragma once

#include <string>
#include <variant>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/client.h"

namespace muster::meta {

// The request is another one now, or could have been: what that changed. One that lost its place
// meanwhile is altered without one, so no start of it moved.
struct Altered {
  RequestId request;
  std::string text;
  bool lost_its_place = false;
};
// It stays as it was.
struct NotAltered {
  RequestId request;
  schemas::Refused why;
};
// A start was found for it, other than the one that it has.
struct AlteredStart {
  RequestId request;
  schemas::MoveRow move;
};
// A site is asked to give the old place back: its answer is waited for, too.
struct AlterationWaits {
  RequestId request;
  BootInstant until;
};

using AlterationNews = std::variant<Altered, NotAltered, AlteredStart, AlterationWaits>;

}  // namespace muster::meta
