// A store in memory: the disk of a simulated host. It survives a crash of its daemon. It reports
// the free space that was set.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/io/store.h"

namespace muster::sim {

class MemoryStore : public io::Store {
 public:
  absl::Status Commit(const std::vector<io::Mutation>& batch) override;
  absl::Status Scan(std::string_view prefix,
                    const std::function<void(std::string_view, std::string_view)>& row) override;
  std::unique_ptr<io::StoreView> View() override;
  absl::StatusOr<int64_t> FreeBytes() override { return kFreeBytes; }

  const std::map<std::string, std::string>& contents() const { return contents_; }

 private:
  static constexpr int64_t kFreeBytes = int64_t{1} << 40;  // its disk is never full

  std::map<std::string, std::string> contents_;
};

}  // namespace muster::sim
