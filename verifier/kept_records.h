// Records of one kind by key, with what of them this turn has to write: the plain part of a ledger.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/site_records.h"
#include "schemas/write.h"

namespace muster::verifier {

// Value type. Changes collect until TakeWrites.
template <class Key, class Record>
class KeptRecords {
 public:
  const std::map<Key, Record>& all() const { return all_; }
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
  // Appends what this turn has to write, in key order. `name` gives the store's key.
  template <class Name>
  void TakeWrites(Name name, std::vector<schemas::Write<schemas::SiteRecord>>& to) {
    for (const Key& key : due_) {
      const Record* record = Find(key);
      if (record == nullptr) {
        to.push_back({name(key), std::nullopt});
      } else {
        to.push_back({name(key), schemas::SiteRecord(*record)});
      }
    }
    due_.clear();
  }

 private:
  std::map<Key, Record> all_;
  std::set<Key> due_;
};

}  // namespace muster::verifier
