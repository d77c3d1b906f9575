// What the search makes of what attempts tell: a place that was refused is sought again, room that
// was given back is looked at, and the old place is given back for one that is held beside it.
#pragma once

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Acts on the attempts' news so far (meta/requests/attempt_news.h), in its order.
void TakeAttemptNews(SearchLayer& f, Turn& t);

}  // namespace muster::meta
