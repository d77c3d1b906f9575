// Converts between typed records and a store's bytes, for every shell. Generic over the record
// type, so that base/io depends on no schema.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/io/store.h"
#include "base/status.h"

namespace muster::io {

// Loads every record of a store with its key, decoded by `decode(bytes) -> StatusOr<Record>`.
// Errors: the store cannot be read; a value does not decode (the message names its key).
template <class Record, class Decode>
absl::StatusOr<std::vector<std::pair<std::string, Record>>> LoadRecords(Store& store,
                                                                        Decode decode) {
  std::vector<std::pair<std::string, Record>> records;
  absl::Status bad;
  const absl::Status scanned = store.Scan("", [&](std::string_view key, std::string_view value) {
    absl::StatusOr<Record> record = decode(value);
    if (record.ok()) {
      records.emplace_back(std::string(key), *std::move(record));
    } else if (bad.ok()) {
      bad = Internal("record '" + std::string(key) + "': " + std::string(Text(record.status())));
    }
  });
  MUSTER_RETURN_IF_ERROR(scanned);
  MUSTER_RETURN_IF_ERROR(bad);
  return records;
}

// Commits writes {key, optional value} as one synced batch. `encode(value) -> bytes` encodes
// values.
template <class Writes, class Encode>
absl::Status CommitWrites(Store& store, const Writes& writes, Encode encode) {
  std::vector<Mutation> batch;
  batch.reserve(writes.size());
  for (const auto& write : writes) {
    batch.push_back(
        {write.key, write.value ? std::optional<std::string>(encode(*write.value)) : std::nullopt});
  }
  return store.Commit(batch);
}

}  // namespace muster::io
