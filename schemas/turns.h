// A recording of a core's turns, with which the same core can be replayed: how the core was made,
// then per turn the clocks, the events, and the core's effects. Uses the canonical form, since only
// the version that recorded turns can replay them. ADR 35.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/time.h"
#include "schemas/canonical.h"
#include "schemas/driver_facts.h"
#include "schemas/fields.h"
#include "schemas/write.h"

namespace muster::schemas {

// Kind of a frame of a recording: the first 8 bytes of the frame. The last three are of what-ifs
// (schemas/whatif_order.h): a page of a site's records, what is asked, and the answer.
enum class FrameKind : uint8_t { kBegan, kTurn, kBatch, kSitePage, kWhatIfOrder, kWhatIfAnswer };

// How a core was made, apart from its records: its configuration, and the random values its process
// drew.
struct CoreOrigin {
  std::string daemon;     // meta, site
  std::string path;       // path of the configuration, for messages
  std::string file;       // text of the configuration
  Instant read_at;        // when the configuration was read
  std::string driver;     // driver in use; after a reload it may differ from the file
  DriverFacts facts;      // of the driver in use
  std::string boot_id;    // boot id of the machine
  uint64_t seed = 0;      // random
  Secret secret_root;     // random
  bool reloaded = false;  // the core replaced an earlier one when the configuration was reloaded
  // When the core was made, on both clocks.
  BootInstant boot;
  Moment wall;
  static constexpr auto Fields() {
    using C = CoreOrigin;
    return FieldList(Field("daemon", &C::daemon), Field("path", &C::path), Field("file", &C::file),
                     Field("read_at", &C::read_at), Field("driver", &C::driver),
                     Field("facts", &C::facts), Field("boot_id", &C::boot_id),
                     Field("seed", &C::seed), Field("secret_root", &C::secret_root),
                     Field("reloaded", &C::reloaded), Field("boot", &C::boot),
                     Field("wall", &C::wall));
  }
};

// A new core and the records it was made from. `Record` is SiteRecord or MetaRecord.
template <class Record>
struct CoreBegan {
  CoreOrigin origin;
  std::vector<Write<Record>> records;
  static constexpr auto Fields() {
    return FieldList(Field("origin", &CoreBegan::origin), Field("records", &CoreBegan::records));
  }
};

// The input of one call of Step. The result follows in a frame of its own, so that the input is
// recorded even if Step never returns.
template <class Event>
struct CoreTurn {
  BootInstant boot;
  Moment wall;
  std::vector<Event> events;
  static constexpr auto Fields() {
    return FieldList(Field("boot", &CoreTurn::boot), Field("wall", &CoreTurn::wall),
                     Field("events", &CoreTurn::events));
  }
};

template <class Value>
std::string FrameOf(FrameKind kind, const Value& value) {
  CanonicalWriter writer;
  writer.Put(kind);
  writer.Put(value);
  return writer.bytes();
}

template <class Record>
std::string BeganFrame(const CoreOrigin& origin,
                       const std::vector<std::pair<std::string, Record>>& records) {
  CoreBegan<Record> began{.origin = origin, .records = {}};
  for (const auto& [key, record] : records) began.records.push_back({key, record});
  return FrameOf(FrameKind::kBegan, began);
}

template <class Event>
std::string TurnFrame(Now now, const std::vector<Event>& events) {
  CanonicalWriter writer;
  writer.Put(FrameKind::kTurn);
  writer.Put(now.boot);
  writer.Put(now.wall);
  writer.Put(events);
  return writer.bytes();
}

}  // namespace muster::schemas
