// Containers for durable records that have one owner. Every change goes through Edit or Erase.
// These also schedule the write, so no change can miss the batch of its turn.
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

// Records of one kind by key. Value type. Invariant: each record that differs from the store is due
// for writing.
template <class Key, class Record>
class Kept {
 public:
  const std::map<Key, Record>& all() const { return all_; }
  size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  // Returns null if there is no such record.
  const Record* Find(const Key& key) const {
    const auto it = all_.find(key);
    return it == all_.end() ? nullptr : &it->second;
  }

  // Loads a record as the store has it, without scheduling a write. Overwrites an existing record.
  void Restore(const Key& key, Record record) { all_[key] = std::move(record); }

  // Creates the record if it is missing, and schedules its write for this turn.
  Record& Edit(const Key& key) {
    due_.insert(key);
    return all_[key];
  }
  // Removes the record and schedules its removal from the store. No effect if it does not exist.
  void Erase(Key key) {
    if (all_.erase(key) != 0) due_.insert(std::move(key));
  }

  bool due() const { return !due_.empty(); }
  // Appends the writes that are due, in key order, and clears them. `name` maps a key to the
  // store's key; AnyRecord is SiteRecord or MetaRecord.
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

// A record that exists once per store.
template <class Record>
class KeptOne {
 public:
  const Record& operator*() const { return record_; }
  const Record* operator->() const { return &record_; }

  void Restore(Record record) { record_ = std::move(record); }
  // Schedules the write of the record for this turn.
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
