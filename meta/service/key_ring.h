// Keys by which users and sites are accepted, and when users were last heard. The configuration
// lists keys. A rotated or revoked key is on record, and that record holds as long as the
// configuration still names the old key. cli.md section 2 (keys).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "meta/options.h"
#include "meta/turn/events.h"
#include "schemas/kept.h"
#include "schemas/meta_records.h"

namespace muster::meta {

// Value type. Invariant: records that differ from the store are pending write.
class KeyRing {
 public:
  // Loads a stored record without writing it again.
  void Restore(schemas::KeyRecord record);
  // Accepts `public_key` instead of the listed key from now on; empty: the key is revoked.
  void Put(const ListedKey& listed, std::string public_key, Moment now);
  // Removes each record whose name is no longer listed, or is listed with another key than the one
  // that the record replaced.
  void DropStale(const std::vector<ListedKey>& listed);

  // Record that replaces or revokes this key; null if the listed key is valid.
  const schemas::KeyRecord* Of(const ListedKey& listed) const;
  // Names and keys that are accepted.
  std::vector<HeardKey> Heard(const std::vector<ListedKey>& listed) const;

  // Notes when a user was last heard. Volatile.
  void NoteHeard(const std::string& user, Moment now) { heard_[user] = now; }
  std::optional<Moment> HeardAt(const std::string& user) const;

  const std::map<std::string, schemas::KeyRecord>& all() const { return others_.all(); }
  // Appends the writes of this turn.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to);

 private:
  schemas::Kept<std::string, schemas::KeyRecord> others_;  // rotated and revoked keys, by name
  std::map<std::string, Moment> heard_;                    // time of the last message, by user
};

}  // namespace muster::meta
