// The site's records as they were at one instant, page by page, for whoever asks what would be:
// they run the site's core on them. What programs are, and their secrets, stay here. protocol.md
// section 2b (inspect snapshot).
#pragma once

#include <memory>

#include "base/io/store.h"
#include "base/time.h"
#include "schemas/inspect.h"
#include "schemas/turns.h"

namespace muster::site {

class RecordPages {
 public:
  // Puts the page that the view names into it, or why there is none. Page 0 fixes the instant, and
  // ends what was shown before.
  void Fill(io::Store& store, const schemas::CoreOrigin& origin, Now now,
            schemas::SnapshotView& view);

 private:
  std::unique_ptr<io::StoreView> rows_;  // none: nothing is shown
  uint64_t next_ = 0;                    // the page that follows
  schemas::CoreOrigin origin_;
};

}  // namespace muster::site
