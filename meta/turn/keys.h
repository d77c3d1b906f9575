// Keys of the meta's store: text, with numbers as 16 hex digits so that key order is number order.
#pragma once

#include <string>

#include "base/ids.h"
#include "base/time.h"

namespace muster::meta {

inline std::string Hex16(uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out(16, '0');
  for (size_t i = 16; i-- > 0; value >>= 4) out[i] = kDigits[value & 15];
  return out;
}
inline std::string FenceKey(const Fence& f) { return Hex16(f.epoch.value) + "." + Hex16(f.number); }

inline constexpr char kIdentityKey[] = "meta";
inline constexpr char kSchedulerKey[] = "scheduler";
inline std::string OutcomeKey(int64_t day) {
  return "outcomes/" + Hex16(static_cast<uint64_t>(day));
}
inline std::string RequestKey(RequestId id) { return "request/" + Hex16(id.value); }
inline std::string ScriptKey(RequestId id) { return "script/" + Hex16(id.value); }
inline std::string AttemptKey(const Fence& fence) { return "attempt/" + FenceKey(fence); }
inline std::string SiteKey(const std::string& site) { return "site/" + site; }
inline std::string MirrorKey(const std::string& site, const Fence& fence) {
  return "mirror/" + site + "/" + FenceKey(fence);
}
inline std::string AccountKey(const std::string& name) { return "account/" + name; }
inline std::string EntryKey(uint64_t number) { return "entry/" + Hex16(number); }
inline std::string FareKey(const std::string& site) { return "fare/" + site; }
inline std::string SteerKey(uint64_t order) { return "steer/" + Hex16(order); }
inline std::string KeyKey(const std::string& name) { return "key/" + name; }
inline std::string AuditKey(uint64_t number) { return "audit/" + Hex16(number); }

}  // namespace muster::meta
