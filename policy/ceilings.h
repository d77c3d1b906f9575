// Ceilings that date new work: from when on each may start anything it has no promise for. Maui
// Sect. III (Fairshare); scheduling.md section 12.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/credentials.h"
#include "base/time.h"

namespace muster::policy {

// Judged once a second of plan time at most: use, promises and windows as they stood then.
class Ceilings {
 public:
  bool IsOf(Instant second) const { return at_ == second; }
  // `from`: when new work may start, by name of the share; only those that may not start any now.
  // Returns true if one of those that were barred may start earlier now.
  bool Judge(Instant second, std::map<std::string, Instant> from) {
    bool eased = false;
    for (const auto& [who, until] : from_) {
      const auto now = from.find(who);
      eased = eased || now == from.end() || now->second < until;
    }
    at_ = second;
    from_ = std::move(from);
    return eased;
  }
  // The next turn judges anew: the rules have changed.
  void Forget() { at_.reset(); }

  struct Barred {
    std::string who;  // the share
    Instant until;
  };
  bool none() const { return from_.empty(); }
  // By name of the share, until when its new work is barred.
  const std::map<std::string, Instant>& all() const { return from_; }
  // The first of these; none: nobody is barred.
  std::optional<Instant> First() const {
    std::optional<Instant> first;
    for (const auto& [who, until] : from_) first = std::min(first.value_or(until), until);
    return first;
  }
  // The latest of those that the credentials fall under; none: they may start now.
  std::optional<Barred> Of(const Credentials& who) const {
    std::optional<Barred> out;
    for (const auto& [name, until] : from_) {
      if (Covers(name, who) && (!out || out->until < until)) out = Barred{name, until};
    }
    return out;
  }
  std::optional<Instant> Of(const std::string& share) const {
    const auto it = from_.find(share);
    return it == from_.end() ? std::nullopt : std::optional(it->second);
  }

 private:
  std::optional<Instant> at_;
  std::map<std::string, Instant> from_;
};

}  // namespace muster::policy
