// A batch is applied as a whole: crash points lie before and after it, never inside.
#include "sim/memory_store.h"

namespace muster::sim {

absl::Status MemoryStore::Commit(const std::vector<io::Mutation>& batch) {
  for (const io::Mutation& m : batch) {
    if (m.value) {
      contents_[m.key] = *m.value;
    } else {
      contents_.erase(m.key);
    }
  }
  return absl::OkStatus();
}

absl::Status MemoryStore::Scan(std::string_view prefix,
                               const std::function<void(std::string_view, std::string_view)>& row) {
  for (auto it = contents_.lower_bound(std::string(prefix));
       it != contents_.end() && it->first.compare(0, prefix.size(), prefix) == 0; ++it) {
    row(it->first, it->second);
  }
  return absl::OkStatus();
}

}  // namespace muster::sim
