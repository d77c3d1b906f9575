// The interface of the durable store: one atomic, synced batch per turn. base/io/rocks implements
// it; the simulator has one in memory with crash points.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::io {

// A change of one key; an absent value removes the key.
struct Mutation {
  std::string key;
  std::optional<std::string> value;
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
  // Free bytes of the store's file system.
  virtual absl::StatusOr<int64_t> FreeBytes() = 0;
};

}  // namespace muster::io
