// Audit log: acts of operators and sites, and changes of keys; durable, numbered, kept for
// kRecordKeep. cli.md section 2 (audit).
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

// Value type. Invariant: rows that differ from the store are pending write; times never decrease as
// numbers grow.
class AuditLog {
 public:
  // Loads a stored row without writing it again.
  void Restore(schemas::AuditRow row) {
    const uint64_t number = row.number;
    rows_.Restore(number, std::move(row));
  }
  // REQUIRES: the row's number is above all others.
  void Add(schemas::AuditRow row) { rows_.Edit(row.number) = std::move(row); }
  // Removes rows older than `at`.
  void ForgetBefore(Moment at) {
    while (!rows_.empty() && rows_.all().begin()->second.at < at) {
      rows_.Erase(rows_.all().begin()->first);
    }
  }

  // Rows with numbers above `number`, ascending, at most `limit`.
  std::vector<schemas::AuditRow> After(uint64_t number, size_t limit) const {
    std::vector<schemas::AuditRow> out;
    const auto& all = rows_.all();
    for (auto at = all.upper_bound(number); at != all.end() && out.size() < limit; ++at) {
      out.push_back(at->second);
    }
    return out;
  }
  const std::map<uint64_t, schemas::AuditRow>& all() const { return rows_.all(); }

  // Appends the writes of this turn.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to) {
    rows_.TakeWrites(AuditKey, to);
  }

 private:
  schemas::Kept<uint64_t, schemas::AuditRow> rows_;
};

}  // namespace muster::meta
