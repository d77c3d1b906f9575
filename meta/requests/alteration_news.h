// Results of trials of altered requests, for the alteration that awaits them
// (meta/service/alter_answers.h).
#pragma once

#include <string>
#include <variant>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/client.h"

namespace muster::meta {

// The request was altered, or in a what-if could be; `text` is the change. With `lost_its_place` it
// lost its place during the trial, so no start that was found for it counts.
struct Altered {
  RequestId request;
  std::string text;
  bool lost_its_place = false;
};
// The request stays as it was.
struct NotAltered {
  RequestId request;
  schemas::Refused why;
};
// A start was found for the altered request that differs from its present one.
struct AlteredStart {
  RequestId request;
  schemas::MoveRow move;
};
// A site was ordered to give back the old place; the alteration awaits its answer as well.
struct AlterationWaits {
  RequestId request;
  BootInstant until;
};

using AlterationNews = std::variant<Altered, NotAltered, AlteredStart, AlterationWaits>;

}  // namespace muster::meta
