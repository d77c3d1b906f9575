// Who is heard, by which key, and when last. The configuration lists keys; what was rotated or
// revoked since is on record and holds as long as the configuration still names the old key.
// cli.md section 2 (keys).
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

// Value type. Invariant: what differs from the store is due.
class KeyRing {
 public:
  // As the store has it.
  void Restore(schemas::KeyRecord record);
  // Heard by this key instead of the listed one from now on; empty: not heard.
  void Put(const ListedKey& listed, std::string public_key, Moment now);
  // Forgets what is on record of keys that are listed no more.
  void DropStale(const std::vector<ListedKey>& listed);

  // What is on record of a key; null: it is as listed.
  const schemas::KeyRecord* Of(const ListedKey& listed) const;
  // Who is heard, and by which key.
  std::vector<HeardKey> Heard(const std::vector<ListedKey>& listed) const;

  // A user said something. Volatile.
  void NoteHeard(const std::string& user, Moment now) { heard_[user] = now; }
  std::optional<Moment> HeardAt(const std::string& user) const;

  const std::map<std::string, schemas::KeyRecord>& all() const { return others_.all(); }
  // Appends what this turn has to write.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to);

 private:
  schemas::Kept<std::string, schemas::KeyRecord> others_;  // that are not as listed
  std::map<std::string, Moment> heard_;                    // users, by their last message
};

}  // namespace muster::meta
