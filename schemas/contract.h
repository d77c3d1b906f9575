// What a user agrees to who lets a site take back room early: a job with a contract may start on
// room that is lent to it before the start it was promised. Maui Sect. IV (preemption);
// scheduling.md section 18.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// What becomes of a job that is recalled: it ends, and begins again at the start that it was
// promised. kRequeue: from its beginning. kCheckpoint: if it exits with kSavedStatus within its
// grace it has saved its work, and needs only what is left of its duration; else as by kRequeue.
// kSuspend: it is paused, keeps all but its cores, and goes on when they are idle again; if others
// need more than its cores, or its own start comes elsewhere, it ends as by kRequeue.
enum class RecallWay : uint8_t { kRequeue, kCheckpoint, kSuspend };

// The exit status by which a job says that it has saved its work (protocol.md section 3.3).
inline constexpr int32_t kSavedStatus = 85;

struct Contract {
  RecallWay way = RecallWay::kRequeue;
  Span grace{20};            // from the word to end until the processes are killed
  Span min_run{900};         // not killed before it has had room for this long
  uint32_t max_recalls = 3;  // recalled so often, it is lent nothing more
  static constexpr auto Fields() {
    using C = Contract;
    return FieldList(Field("way", &C::way), Field("grace", &C::grace),
                     Field("min_run", &C::min_run), Field("max_recalls", &C::max_recalls));
  }
  bool operator==(const Contract&) const = default;
};

inline constexpr Span kGraceMost{600};
inline constexpr Span kMinRunMost{86400};
inline constexpr uint32_t kRecallsMost = 100;

}  // namespace muster::schemas
