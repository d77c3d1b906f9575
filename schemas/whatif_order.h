// What the meta gives to the program that answers a question what would be: who asks for what, and
// the records of the sites. Within one version of muster, in the canonical form; see whatif.h for
// what clients say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/fields.h"
#include "schemas/whatif.h"

namespace muster::schemas {

// A site of which nothing more is known than what it has told the meta.
struct SilentSite {
  std::string site;
  std::string why;  // "does not show its records", "did not answer"
  static constexpr auto Fields() {
    return FieldList(Field("site", &SilentSite::site), Field("why", &SilentSite::why));
  }
};

// A page of a site's records (SnapshotView.frame), for the order of this number.
struct WhatIfPage {
  uint64_t number = 0;
  std::string site;
  std::string frame;
  static constexpr auto Fields() {
    return FieldList(Field("number", &WhatIfPage::number), Field("site", &WhatIfPage::site),
                     Field("frame", &WhatIfPage::frame));
  }
};

// All pages are there: this is to be answered.
struct WhatIfOrder {
  uint64_t number = 0;
  std::string user;
  bool is_operator = false;
  WhatIf question;
  std::vector<SilentSite> silent;
  static constexpr auto Fields() {
    using W = WhatIfOrder;
    return FieldList(Field("number", &W::number), Field("user", &W::user),
                     Field("is_operator", &W::is_operator), Field("question", &W::question),
                     Field("silent", &W::silent));
  }
};

}  // namespace muster::schemas
