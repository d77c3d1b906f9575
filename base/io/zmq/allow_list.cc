// Entries that remain in the new list keep their numbers.
#include "base/io/zmq/allow_list.h"

namespace muster::io {

AllowList::AllowList(const std::vector<AllowedKey>& keys, const AllowList& before)
    : last_number_(before.last_number_) {
  for (const AllowedKey& key : keys) {
    const HeardKey* known = before.Find(key.public_key);
    const uint32_t number =
        known != nullptr && known->name == key.name ? known->number : ++last_number_;
    keys_[key.public_key] = {.name = key.name, .number = number};
  }
  for (const auto& [key, heard] : keys_) numbers_.insert(heard.number);
}

const HeardKey* AllowList::Find(std::string_view public_key) const {
  const auto found = keys_.find(public_key);
  return found == keys_.end() ? nullptr : &found->second;
}

}  // namespace muster::io
