// Which requests for lent room need not be asked about just now: sites had none for another one
// that asks for the same. Thousands may wait for it, and a site is asked about one of them.
// scheduling.md section 18.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/time.h"

namespace muster::meta {

// After no site had lent room, it is asked about again after this time.
inline constexpr BootSpan kLentAgain = Seconds(20);

// Value type.
class LentAsks {
 public:
  // No site had room for requests with this key. Returns until when none of them is asked about.
  BootInstant NoteRefused(const std::string& key, BootInstant now) {
    std::erase_if(refused_, [now](const auto& one) { return one.second <= now; });
    return refused_[key] = now + kLentAgain;
  }
  // None: they may be asked about.
  std::optional<BootInstant> RefusedUntil(const std::string& key, BootInstant now) const {
    const auto it = refused_.find(key);
    if (it == refused_.end() || it->second <= now) return std::nullopt;
    return it->second;
  }

 private:
  std::map<std::string, BootInstant> refused_;
};

}  // namespace muster::meta
