// What operators and sites did that is to be accounted for: durable, by number, kept for a while.
// cli.md section 2 (audit).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "meta/turn/keys.h"
#include "schemas/kept.h"
#include "schemas/meta_records.h"

namespace muster::meta {

// Value type. Invariant: what differs from the store is due, and later numbers are not of earlier
// times.
class AuditLog {
 public:
  // As the store has it.
  void Restore(schemas::AuditRow row) {
    const uint64_t number = row.number;
    rows_.Restore(number, std::move(row));
  }
  // REQUIRES: its number is above all others.
  void Add(schemas::AuditRow row) { rows_.Edit(row.number) = std::move(row); }
  // Rows of before this time are gone.
  void ForgetBefore(Moment at) {
    while (!rows_.empty() && rows_.all().begin()->second.at < at) {
      rows_.Erase(rows_.all().begin()->first);
    }
  }

  // Those after this number, at most `limit`.
  std::vector<schemas::AuditRow> After(uint64_t number, size_t limit) const {
    std::vector<schemas::AuditRow> out;
    const auto& all = rows_.all();
    for (auto at = all.upper_bound(number); at != all.end() && out.size() < limit; ++at) {
      out.push_back(at->second);
    }
    return out;
  }
  const std::map<uint64_t, schemas::AuditRow>& all() const { return rows_.all(); }

  // Appends what this turn has to write.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to) {
    rows_.TakeWrites(AuditKey, to);
  }

 private:
  schemas::Kept<uint64_t, schemas::AuditRow> rows_;
};

}  // namespace muster::meta
