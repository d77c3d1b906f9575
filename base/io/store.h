// The interface of the durable store: one atomic, synced batch per turn. base/io/rocks implements
// it; the simulator has one in memory with crash points.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace muster::io {

// A change of one key; an absent value removes the key.
struct Mutation {
  std::string key;
  std::optional<std::string> value;
};

// All rows of a store as they were at one instant, whatever is committed since: read piece by
// piece, so that nobody waits for it. The store outlives it.
class StoreView {
 public:
  virtual ~StoreView() = default;
  // The next rows, ascending by key: as many as their keys and values have not more than `bytes`,
  // and at least one; empty once all are read.
  virtual absl::StatusOr<std::vector<std::pair<std::string, std::string>>> Next(size_t bytes) = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  // Commits all of `batch` durably, or, on an error, nothing of it. An empty batch is OK and costs
  // nothing. After a failed sync the daemon must exit, since a repeated fsync may
  // succeed although the data is lost.
  virtual absl::Status Commit(const std::vector<Mutation>& batch) = 0;
  // Calls `row(key, value)` for all keys with this prefix, ascending. The views are valid only
  // during the call.
  virtual absl::Status Scan(
      std::string_view prefix,
      const std::function<void(std::string_view key, std::string_view value)>& row) = 0;
  // The rows as they are now. Takes no time that grows with the store.
  virtual std::unique_ptr<StoreView> View() = 0;
  // Free bytes of the store's file system.
  virtual absl::StatusOr<int64_t> FreeBytes() = 0;
};

}  // namespace muster::io
