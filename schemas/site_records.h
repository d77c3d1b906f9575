// What a site keeps: the values behind its store's keys. Written and rebuilt by site/core.h.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "schemas/hold.h"
#include "schemas/site_link.h"

namespace muster::schemas {

// Key "site". One per store.
struct SiteIdentity {
  std::string federation;
  std::string site;
  Epoch epoch;                           // highest welcomed
  Incarnation incarnation;               // of the last start
  Fence floor;                           // highest seen
  FeedPosition feed;                     // last change made
  Revision acknowledged;                 // durable at the meta
  std::optional<ProtocolValues> values;  // of the last welcome
  static constexpr auto Fields() {
    using S = SiteIdentity;
    return std::tuple(Field("federation", &S::federation), Field("site", &S::site),
                      Field("epoch", &S::epoch), Field("incarnation", &S::incarnation),
                      Field("floor", &S::floor), Field("feed", &S::feed),
                      Field("acknowledged", &S::acknowledged), Field("values", &S::values));
  }
  bool operator==(const SiteIdentity&) const = default;
};

// Key "change/REVISION": a change not yet acknowledged, with the chain digest after it.
struct ChangeRecord {
  Change change;
  Digest digest;
  static constexpr auto Fields() {
    return std::tuple(Field("change", &ChangeRecord::change),
                      Field("digest", &ChangeRecord::digest));
  }
  bool operator==(const ChangeRecord&) const = default;
};

// Key "hold/EPOCH.NUMBER": a HoldRecord (schemas/hold.h).
using SiteRecord = std::variant<SiteIdentity, HoldRecord, ChangeRecord>;

}  // namespace muster::schemas
