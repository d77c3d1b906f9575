// `muster explain`: why a job does not start earlier. Each site of a part says what blocks an
// earlier start, apart from the job's own booking; the part with the latest possible start binds.
// Then changes ("ways") are tried: each is a search for the common start of the changed job, as
// `alter` would begin it (meta/search/meetings.h), and is shown only if the search proved its
// start. For a job in a queue the answer shows its position, and its changes are asked behind the
// requests that are laid out before it. cli.md section 3.
#pragma once

#include "meta/search/inquiry.h"
#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

// After kExplainWait the answer is sent with what is known, before the command gives up. Of this
// time, kOrderWait is for the order of the waiting requests, then kPartsWait for the sites.
inline constexpr BootSpan kExplainWait = Seconds(4);
inline constexpr BootSpan kOrderWait = Milliseconds(1500);
inline constexpr BootSpan kPartsWait = Milliseconds(1500);
// Ways of one explanation that are searched at the same time.
inline constexpr size_t kWaysAtOnce = 4;

void OnExplain(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
// Takes a view that answers a question of `explain`; false if it answers none.
bool TakeExplainView(ServiceLayer& f, Turn& t, const Site& site, const schemas::View& view);
// Takes the result of the search for a way; false if no explanation began it.
bool AnswerWay(ServiceLayer& f, Turn& t, const InquiryOver& over);

// AwaitsOrder: some explanation waits for the order in which the waiting requests are laid out.
// OrderIsKnown: continues these explanations.
bool AwaitsOrder(const ServiceLayer& f);
void OrderIsKnown(ServiceLayer& f, Turn& t);

void EndOverdueExplains(ServiceLayer& f, Turn& t);
std::optional<BootInstant> NextExplainEnd(const ServiceLayer& f);

}  // namespace muster::meta
