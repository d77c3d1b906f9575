// The durable store as a core's shell sees it: one atomic, synced batch per turn. Its only
// implementation is base/io/rocks; the simulator has one in memory with crash points.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::io {

// One change of one key; absent value: removed.
struct Mutation {
  std::string key;
  std::optional<std::string> value;
};

class Store {
 public:
  virtual ~Store() = default;
  // All of `batch`, durable when it returns OK; nothing of it when it does not. An empty batch is
  // OK and costs nothing. A failed sync means the daemon must exit (pitfalls: a failed fsync is not
  // repeatable).
  virtual absl::Status Commit(const std::vector<Mutation>& batch) = 0;
  // Calls `row(key, value)` for all keys with this prefix, ascending. The views live for the call
  // only.
  virtual absl::Status Scan(
      std::string_view prefix,
      const std::function<void(std::string_view key, std::string_view value)>& row) = 0;
  // Free bytes of the file system below the store.
  virtual absl::StatusOr<int64_t> FreeBytes() = 0;
};

}  // namespace muster::io
