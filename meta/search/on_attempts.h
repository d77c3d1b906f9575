// Reacts to news of attempts: searches again for a refused place, uses room that was given back,
// and releases the old place once the new one is held.
#pragma once

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Acts on all news of attempts so far (meta/requests/attempt_news.h), in order.
void TakeAttemptNews(SearchLayer& f, Turn& t);

}  // namespace muster::meta
