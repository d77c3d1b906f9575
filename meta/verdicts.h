// Passes sites' verdicts to whatever asked: a search, a verified run, a block, a wave or a quote.
// protocol.md section 2 (propose).
#pragma once

#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Error: the verdict is nonsense; all open questions to the site then count as not answered.
absl::Status OnVerdict(ServiceLayer& f, Turn& t, const std::string& site,
                       const schemas::Verdict& verdict);

// End questions that will not be answered: those whose time is up, and all questions to a site that
// is gone.
void EndOverdueQuestions(ServiceLayer& f, Turn& t);
void EndQuestionsOf(ServiceLayer& f, Turn& t, const std::string& site);

}  // namespace muster::meta
