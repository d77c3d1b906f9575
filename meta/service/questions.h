// "When would it start, and where?" (ask): proposed to every site that may run it, answered as
// offers; nothing is kept. cli.md section 3, protocol.md section 2b.
#pragma once

#include <string>
#include <vector>

#include "meta/search/inquiry.h"
#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnAsk(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Ask& ask);

// One site's answer to a question; null: it will not answer.
void TakeAskAnswer(ServiceLayer& f, Turn& t, uint64_t owner, const std::string& site,
                   const std::vector<schemas::VerdictEntry>* verdicts);
// What the search for a common start of a question found.
void AnswerMeeting(ServiceLayer& f, Turn& t, const InquiryOver& over);
// The site said nonsense: what is out there is not answered.
void EndAskAnswersOf(ServiceLayer& f, Turn& t, const std::string& site);

}  // namespace muster::meta
