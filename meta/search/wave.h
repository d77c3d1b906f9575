// Waves: what waits is proposed, as one ordered set, to every site that may run it; while one wave
// is out, new submissions gather for the next. protocol.md section 2 (propose), scheduling.md
// "First stage".
#pragma once

#include <string>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Tries what is ready, by rank: at once where nothing has to be asked, else in the next wave.
void StartWave(SearchLayer& f, Turn& t);

// A site's answer to a wave or an ask; nonsense is an error.
absl::Status OnVerdict(SearchLayer& f, Turn& t, const std::string& site,
                       const schemas::Verdict& verdict);

// Questions that nobody will answer any more: their time has passed, or the site is gone.
void EndOverdueQuestions(SearchLayer& f, Turn& t);
void EndQuestionsOf(SearchLayer& f, Turn& t, const std::string& site);

}  // namespace muster::meta
