// The high-level scheduler as operators see and set it: the packing algorithm in force and why, the
// weights of its queues, and what the verification loop costs. cli.md section 3 (scheduler),
// scheduling.md sections 1 to 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// Extraction order (weight) of one queue, >= 1.
struct QueueWeight {
  std::string queue;
  int64_t order = 1;
  static constexpr auto Fields() {
    return FieldList(Field("queue", &QueueWeight::queue), Field("order", &QueueWeight::order));
  }
  bool operator==(const QueueWeight&) const = default;
};
// Scheduler settings that an operator changes. Absent fields stay unchanged.
struct SchedulerChange {
  std::optional<std::string> packing;  // "auto": by vote; else the pinned algorithm
  std::optional<Span> threshold;       // extraction threshold
  bool unbounded = false;              // set an infinite threshold instead of `threshold`
  std::optional<uint64_t> block_max;
  std::vector<QueueWeight> orders;
  static constexpr auto Fields() {
    using S = SchedulerChange;
    return FieldList(Field("packing", &S::packing), Field("threshold", &S::threshold),
                     Field("unbounded", &S::unbounded), Field("block_max", &S::block_max),
                     Field("orders", &S::orders));
  }
  bool operator==(const SchedulerChange&) const = default;
};

// A change of the packing algorithm in force or, while one is pinned, of the vote.
struct SwitchRow {
  Moment at;
  std::string from;              // "" for the first row
  std::string packing;           // the algorithm in force afterwards
  std::string voted;             // result of the vote; under a pin it may differ from `packing`
  double saturated_ratio = 0;    // share of the block that FCFS* could not start within 60 s
  double interactive_ratio = 0;  // interactive share of the votes
  uint64_t requests = 0;         // requests in the block
  std::string why;               // one line for people
  static constexpr auto Fields() {
    using S = SwitchRow;
    return FieldList(Field("at", &S::at), Field("from", &S::from), Field("packing", &S::packing),
                     Field("voted", &S::voted), Field("saturated_ratio", &S::saturated_ratio),
                     Field("interactive_ratio", &S::interactive_ratio),
                     Field("requests", &S::requests), Field("why", &S::why));
  }
  bool operator==(const SwitchRow&) const = default;
};
struct QueueRow {
  std::string name;
  int64_t order = 1;
  uint64_t waiting = 0;
  static constexpr auto Fields() {
    return FieldList(Field("name", &QueueRow::name), Field("order", &QueueRow::order),
                     Field("waiting", &QueueRow::waiting));
  }
  bool operator==(const QueueRow&) const = default;
};
// Cost of the verification loop over the last blocks.
struct RoundsRow {
  uint64_t blocks = 0;
  double rounds_p50 = 0;
  double rounds_p99 = 0;
  double changed_p50 = 0;  // entries per block whose start a site changed
  double changed_p99 = 0;
  double time_p50_s = 0;  // per block, from the first question to the last answer
  double time_p99_s = 0;
  static constexpr auto Fields() {
    using R = RoundsRow;
    return FieldList(Field("blocks", &R::blocks), Field("rounds_p50", &R::rounds_p50),
                     Field("rounds_p99", &R::rounds_p99), Field("changed_p50", &R::changed_p50),
                     Field("changed_p99", &R::changed_p99), Field("time_p50_s", &R::time_p50_s),
                     Field("time_p99_s", &R::time_p99_s));
  }
  bool operator==(const RoundsRow&) const = default;
};
struct SchedulerView {
  std::string packing;             // algorithm in force
  std::optional<std::string> pin;  // pinned algorithm; none: by vote
  std::optional<Moment> since;     // since when `packing` is in force; none: no block yet
  std::string why;
  std::optional<Span> threshold_s;  // extraction threshold; none: infinite
  uint64_t block_max = 0;
  std::optional<Instant> next_block_at;
  std::vector<QueueRow> queues;  // highest priority first
  std::optional<RoundsRow> rounds;
  std::vector<SwitchRow> switches;  // newest first
  static constexpr auto Fields() {
    using S = SchedulerView;
    return FieldList(Field("packing", &S::packing), Field("pin", &S::pin),
                     Field("since", &S::since), Field("why", &S::why),
                     Field("threshold_s", &S::threshold_s), Field("block_max", &S::block_max),
                     Field("next_block_at", &S::next_block_at), Field("queues", &S::queues),
                     Field("rounds", &S::rounds), Field("switches", &S::switches));
  }
  bool operator==(const SchedulerView&) const = default;
};

// Key "scheduler" of the meta's store: operators' settings, which override the configuration, and
// the state of the vote. A restart thus keeps both the pin and the vote.
struct SchedulerRecord {
  SchedulerChange set;
  bool saturated = false;
  std::string leaning;  // last result of a saturated vote: "ffih*" or "ffdh*"; "": none yet
  std::vector<SwitchRow> switches;  // oldest first, bounded by kSwitchesKept
  RequestId counted;                // the newest job that has voted
  static constexpr auto Fields() {
    using S = SchedulerRecord;
    return FieldList(Field("set", &S::set), Field("saturated", &S::saturated),
                     Field("leaning", &S::leaning), Field("switches", &S::switches),
                     Field("counted", &S::counted));
  }
  bool operator==(const SchedulerRecord&) const = default;
};

inline constexpr size_t kSwitchesKept = 100;

}  // namespace muster::schemas
