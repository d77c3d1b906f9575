// A record applies only while the configuration names the key that it replaced.
#include "meta/service/key_ring.h"

#include <algorithm>
#include <utility>

#include "meta/turn/keys.h"

namespace muster::meta {

void KeyRing::Restore(schemas::KeyRecord record) {
  const std::string name = record.name;
  others_.Restore(name, std::move(record));
}

void KeyRing::Put(const ListedKey& listed, std::string public_key, Moment now) {
  others_.Edit(listed.name) = {.name = listed.name,
                               .listed = listed.public_key,
                               .public_key = std::move(public_key),
                               .at = now};
}

void KeyRing::DropStale(const std::vector<ListedKey>& listed) {
  std::vector<std::string> stale;
  for (const auto& [name, record] : others_.all()) {
    const bool named = std::any_of(listed.begin(), listed.end(), [&](const ListedKey& key) {
      return key.name == record.name && key.public_key == record.listed;
    });
    if (!named) stale.push_back(name);
  }
  for (const std::string& name : stale) others_.Erase(name);
}

const schemas::KeyRecord* KeyRing::Of(const ListedKey& listed) const {
  const schemas::KeyRecord* record = others_.Find(listed.name);
  return record && record->listed == listed.public_key ? record : nullptr;
}

std::vector<HeardKey> KeyRing::Heard(const std::vector<ListedKey>& listed) const {
  std::vector<HeardKey> out;
  for (const ListedKey& key : listed) {
    const schemas::KeyRecord* other = Of(key);
    const std::string& heard = other ? other->public_key : key.public_key;
    if (!heard.empty()) out.push_back({key.name, heard});
  }
  return out;
}

std::optional<Moment> KeyRing::HeardAt(const std::string& user) const {
  const auto at = heard_.find(user);
  return at == heard_.end() ? std::nullopt : std::optional(at->second);
}

void KeyRing::TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to) {
  others_.TakeWrites(KeyKey, to);
}

}  // namespace muster::meta
