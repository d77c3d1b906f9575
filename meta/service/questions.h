// `ask`: when would this request start, and where? The meta proposes it to every site that may run
// it and answers with offers; nothing is kept. cli.md section 3, protocol.md section 2b.
#pragma once

#include <string>
#include <vector>

#include "meta/search/inquiry.h"
#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnAsk(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Ask& ask);

// Takes one site's verdicts on a question; null: the site will not answer.
void TakeAskAnswer(ServiceLayer& f, Turn& t, uint64_t owner, const std::string& site,
                   const std::vector<schemas::VerdictEntry>* verdicts);
// Answers a question from its finished search for a common start.
void AnswerMeeting(ServiceLayer& f, Turn& t, const InquiryOver& over);
// Ends all open questions to a site: the site counts as not having answered them.
void EndAskAnswersOf(ServiceLayer& f, Turn& t, const std::string& site);

}  // namespace muster::meta
