// Answers of sites to questions of the meta: each goes to whoever asked, a search, a verified run,
// a block, a wave or a quote, and what comes of it to the room above. protocol.md section 2
// (propose).
#pragma once

#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Nonsense is an error; for whoever asked, the site has not answered then.
absl::Status OnVerdict(ServiceLayer& f, Turn& t, const std::string& site,
                       const schemas::Verdict& verdict);

// Questions that nobody will answer any more: their time has passed, or the site is gone.
void EndOverdueQuestions(ServiceLayer& f, Turn& t);
void EndQuestionsOf(ServiceLayer& f, Turn& t, const std::string& site);

}  // namespace muster::meta
