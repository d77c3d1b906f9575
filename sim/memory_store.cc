// A batch is applied as a whole: crash points lie before and after it, never inside.
#include "sim/memory_store.h"

#include <utility>

namespace muster::sim {
namespace {

class MemoryView : public io::StoreView {
 public:
  explicit MemoryView(std::map<std::string, std::string> rows)
      : rows_(std::move(rows)), at_(rows_.begin()) {}

  absl::StatusOr<std::vector<std::pair<std::string, std::string>>> Next(size_t bytes) override {
    std::vector<std::pair<std::string, std::string>> out;
    size_t taken = 0;
    for (; at_ != rows_.end(); ++at_) {
      taken += at_->first.size() + at_->second.size();
      if (!out.empty() && taken > bytes) break;
      out.push_back(*at_);
    }
    return out;
  }

 private:
  const std::map<std::string, std::string> rows_;
  std::map<std::string, std::string>::const_iterator at_;
};

}  // namespace

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

std::unique_ptr<io::StoreView> MemoryStore::View() {
  return std::make_unique<MemoryView>(contents_);
}

}  // namespace muster::sim
