// Recent events of the federation, numbered, for clients that follow events. Volatile: lasting
// records are the requests' timelines and the audit log. cli.md section 2 (events).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/ids.h"
#include "schemas/limits.h"
#include "schemas/views.h"

namespace muster::meta {

// Value type. Invariant: it keeps the newest events, with consecutive numbers.
class EventLog {
 public:
  // Event numbers are the epoch times 2^32 plus a count from 1, so they rise across restarts.
  void Begin(Epoch epoch) { next_ = (epoch.value << 32) + 1; }

  // Numbers and keeps the event; drops the oldest one beyond kEventsKept.
  const schemas::EventRow& Add(schemas::EventRow event) {
    event.number = next_++;
    rows_.push_back(std::move(event));
    if (rows_.size() > schemas::kEventsKept) rows_.pop_front();
    return rows_.back();
  }

  // Kept events with numbers above `after`, oldest first, at most `limit`.
  std::vector<schemas::EventRow> After(uint64_t after, size_t limit) const {
    std::vector<schemas::EventRow> out;
    if (rows_.empty()) return out;
    const uint64_t first = rows_.front().number;
    size_t at = after < first ? 0 : static_cast<size_t>(after - first + 1);
    for (; at < rows_.size() && out.size() < limit; ++at) out.push_back(rows_[at]);
    return out;
  }
  uint64_t last() const { return next_ - 1; }

 private:
  uint64_t next_ = 1;
  std::deque<schemas::EventRow> rows_;
};

}  // namespace muster::meta
