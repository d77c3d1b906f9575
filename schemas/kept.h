// Durable records with one owner: whoever changes one takes it by Edit, and a turn's writes follow
// from that. Nothing marks what was changed by hand, so nothing can be forgotten.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/write.h"

namespace muster::schemas {

// Records of one kind by key. Value type. Invariant: what differs from the store is due.
template <class Key, class Record>
class Kept {
 public:
  const std::map<Key, Record>& all() const { return all_; }
  size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  // Null: not there.
  const Record* Find(const Key& key) const {
    const auto it = all_.find(key);
    return it == all_.end() ? nullptr : &it->second;
  }

  // As the store has it: not written again. A key that is there already takes the new value.
  void Restore(const Key& key, Record record) { all_[key] = std::move(record); }

  // There from now on, and written with this turn.
  Record& Edit(const Key& key) {
    due_.insert(key);
    return all_[key];
  }
  // Gone, and removed with this turn; nothing happens if it was not there.
  void Erase(Key key) {
    if (all_.erase(key) != 0) due_.insert(std::move(key));
  }

  bool due() const { return !due_.empty(); }
  // Appends what this turn has to write, in key order. `name` gives the store's key; AnyRecord is
  // SiteRecord or MetaRecord.
  template <class Name, class AnyRecord>
  void TakeWrites(Name name, std::vector<Write<AnyRecord>>& to) {
    for (const Key& key : due_) {
      const Record* record = Find(key);
      to.push_back({name(key), record ? std::optional<AnyRecord>(*record) : std::nullopt});
    }
    due_.clear();
  }

 private:
  std::map<Key, Record> all_;
  std::set<Key> due_;
};

// The one record of its kind.
template <class Record>
class KeptOne {
 public:
  const Record& operator*() const { return record_; }
  const Record* operator->() const { return &record_; }

  void Restore(Record record) { record_ = std::move(record); }
  // Written with this turn.
  Record& Edit() {
    due_ = true;
    return record_;
  }

  bool due() const { return due_; }
  template <class AnyRecord>
  void TakeWrites(const std::string& key, std::vector<Write<AnyRecord>>& to) {
    if (due_) to.push_back({key, AnyRecord(record_)});
    due_ = false;
  }

 private:
  Record record_;
  bool due_ = false;
};

}  // namespace muster::schemas
