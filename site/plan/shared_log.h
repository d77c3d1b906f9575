// A log that keeps only its newest entries, in blocks that copies share until one of them writes.
// Occupancies are copied for every verdict, and logs are their longest members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace muster::plan {

template <typename Entry, size_t kBlock = 64>
class SharedLog {
 public:
  // Entries are numbered from 0 on; the log holds those of [first, end).
  uint64_t first() const { return first_; }
  uint64_t end() const {
    return blocks_.empty() ? first_
                           : first_ + (blocks_.size() - 1) * kBlock + blocks_.back()->size();
  }
  const Entry& operator[](uint64_t number) const {
    const uint64_t at = number - first_;
    return (*blocks_[at / kBlock])[at % kBlock];
  }
  // Calls visit(entry) for all entries from this number on that the log still holds.
  template <typename Visit>
  void EachFrom(uint64_t number, Visit visit) const {
    size_t skipped = number > first_ ? number - first_ : 0;
    for (size_t b = skipped / kBlock; b < blocks_.size(); ++b) {
      const Entry* const block = blocks_[b]->data();
      const size_t size = blocks_[b]->size();
      for (size_t i = skipped % kBlock; i < size; ++i) visit(block[i]);
      skipped = 0;
    }
  }
  void Add(Entry entry) {
    if (blocks_.empty() || blocks_.back()->size() == kBlock) {
      blocks_.push_back(std::make_shared<Block>());
      blocks_.back()->reserve(kBlock);
    } else if (blocks_.back().use_count() > 1) {
      auto own = std::make_shared<Block>();
      own->reserve(kBlock);
      own->assign(blocks_.back()->begin(), blocks_.back()->end());
      blocks_.back() = std::move(own);
    }
    blocks_.back()->push_back(std::move(entry));
  }
  // Drops the oldest entries, in whole blocks, until at most `most` are left. REQUIRES most >=
  // kBlock.
  void KeepNewest(uint64_t most) {
    size_t gone = 0;
    while (end() - first_ - gone * kBlock > most) ++gone;
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<long>(gone));
    first_ += gone * kBlock;
  }

 private:
  using Block = std::vector<Entry>;
  std::vector<std::shared_ptr<Block>> blocks_;  // all full but the last
  uint64_t first_ = 0;
};

}  // namespace muster::plan
