// Waves: what waits is proposed, as one ordered set, to every site that may run it; while one wave
// is out, new submissions gather for the next. protocol.md section 2 (propose), scheduling.md
// "First stage".
#pragma once

#include <string>

#include "meta/turn/turn.h"

namespace muster::meta {

// Tries what is ready, by rank: at once where nothing has to be asked, else in the next wave.
void StartWave(Federation& f, Turn& t);

// A site's answer to a wave or an ask; nonsense is an error.
absl::Status OnVerdict(Federation& f, Turn& t, const std::string& site,
                       const schemas::Verdict& verdict);

// Questions that nobody will answer any more: their time has passed, or the site is gone.
void EndOverdueQuestions(Federation& f, Turn& t);
void EndQuestionsOf(Federation& f, Turn& t, const std::string& site);

}  // namespace muster::meta
