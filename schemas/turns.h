// What is recorded of a core's turns, so that the same core can be stepped through them again: how
// it was made, then of each turn the clocks and events, and what the core wanted. The form is the
// canonical one, since only the version that recorded a turn can take it again. ADR 35.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/time.h"
#include "schemas/canonical.h"
#include "schemas/fields.h"
#include "schemas/write.h"

namespace muster::schemas {

// What a frame of a recording is; its first 8 bytes.
enum class FrameKind : uint8_t { kBegan, kTurn, kBatch };

// How a core was made, but for its records: of which configuration, and what its process drew.
struct CoreOrigin {
  std::string daemon;     // meta, site
  std::string path;       // of the configuration, for messages
  std::string file;       // what it said
  Instant read_at;        // when it was read
  std::string driver;     // the one that runs; may differ from the file after a reload
  std::string boot_id;    // of the machine
  uint64_t seed = 0;      // drawn
  Secret secret_root;     // drawn
  bool reloaded = false;  // in the place of a core that was there before
  BootInstant boot;
  Moment wall;
  static constexpr auto Fields() {
    using C = CoreOrigin;
    return FieldList(Field("daemon", &C::daemon), Field("path", &C::path), Field("file", &C::file),
                     Field("read_at", &C::read_at), Field("driver", &C::driver),
                     Field("boot_id", &C::boot_id), Field("seed", &C::seed),
                     Field("secret_root", &C::secret_root), Field("reloaded", &C::reloaded),
                     Field("boot", &C::boot), Field("wall", &C::wall));
  }
};

// A core, with what its store held. `Record` is SiteRecord or MetaRecord.
template <class Record>
struct CoreBegan {
  CoreOrigin origin;
  std::vector<Write<Record>> records;
  static constexpr auto Fields() {
    return FieldList(Field("origin", &CoreBegan::origin), Field("records", &CoreBegan::records));
  }
};

// One call of Step. What it gave follows as a frame of its own, so that a core that did not come
// back from it leaves what it was told.
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
