// A daemon's durable record of what was used, by window and by whom: the meta's of all sites, a
// site's of what ran there. scheduling.md section 12.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "schemas/kept.h"
#include "schemas/use.h"
#include "schemas/write.h"

namespace muster::verifier {

// Key of a record in the store.
std::string UseKey(Instant window, const std::string& who);

// Invariant: what differs from the store is due to be written.
class UseBook {
 public:
  static constexpr char kAll[] = "*";

  void Restore(schemas::UseRecord record);
  // Adds processor-milliseconds to one window of `who`.
  void Add(const std::string& who, Instant window, int64_t amount);
  // Notes the present window. True if it is another one than at the last call.
  bool Enter(Instant window) { return std::exchange(entered_, window) != window; }
  // Forgets the windows that begin before `first`.
  void ForgetBefore(Instant first);
  // What `who` used in the windows that begin from begins[k] on and before begins[k - 1]; the first
  // of them is the present one. So windows of another length on record fall into those that there
  // are now.
  std::vector<int64_t> Of(const std::string& who, const std::vector<Instant>& begins) const;

  using Key = std::pair<std::string, Instant>;  // who, begin of the window
  const std::map<Key, schemas::UseRecord>& all() const { return kept_.all(); }
  bool due() const { return kept_.due(); }
  // Appends this turn's writes. AnyRecord is SiteRecord or MetaRecord.
  template <class AnyRecord>
  void TakeWrites(std::vector<schemas::Write<AnyRecord>>& to) {
    kept_.TakeWrites([](const Key& key) { return UseKey(key.second, key.first); }, to);
  }

 private:
  schemas::Kept<Key, schemas::UseRecord> kept_;
  std::optional<Instant> entered_;
};

}  // namespace muster::verifier
