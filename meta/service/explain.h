// Why not earlier (`muster explain`). Each site that has a part says what stands in its way, left
// its own booking out; the part that could start last binds. Then changes are tried: each is a
// search for the common start of the job so changed, as `alter` would begin it
// (meta/search/meetings.h), and is told only if the search proved its start. Who waits in a queue
// is told how it stands there, and its changes are asked behind those that are laid out before it.
// cli.md section 3.
#pragma once

#include "meta/search/inquiry.h"
#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

// An answer goes after so long at the latest, with what is known by then: before people's commands
// give up. So long of it the order of those who wait is waited for, and then the sites.
inline constexpr BootSpan kExplainWait = Seconds(4);
inline constexpr BootSpan kOrderWait = Milliseconds(1500);
inline constexpr BootSpan kPartsWait = Milliseconds(1500);
// Ways of one explanation that are searched for at the same time.
inline constexpr size_t kWaysAtOnce = 4;

void OnExplain(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
// False if this view answers no question of `explain`.
bool TakeExplainView(ServiceLayer& f, Turn& t, const Site& site, const schemas::View& view);
// The search for a way is over. False if no explanation asked for it.
bool AnswerWay(ServiceLayer& f, Turn& t, const InquiryOver& over);

// Somebody waits to know in which order those who wait are laid out; it is known.
bool AwaitsOrder(const ServiceLayer& f);
void OrderIsKnown(ServiceLayer& f, Turn& t);

void EndOverdueExplains(ServiceLayer& f, Turn& t);
std::optional<BootInstant> NextExplainEnd(const ServiceLayer& f);

}  // namespace muster::meta
