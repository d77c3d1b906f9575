// Reads values from their canonical form (schemas/canonical.h). Only for files that the same
// version wrote, such as recorded turns. Messages and durable records use the codec instead.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// Reads values in the order in which CanonicalWriter put them. On input that ends too early, a
// length beyond the input, or an unknown alternative of a variant, ok() becomes false for good. The
// values read last are then meaningless.
class CanonicalReader {
 public:
  explicit CanonicalReader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  // All input was consumed without an error.
  bool AtEnd() const { return ok_ && rest_.empty(); }

  void Get(bool& v);
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  void Get(T& v) {
    v = static_cast<T>(GetInteger());
  }
  template <class T>
    requires std::is_enum_v<T>
  void Get(T& v) {
    v = static_cast<T>(GetInteger());
  }
  void Get(double& v);
  void Get(std::string& v);
  template <class Tag>
  void Get(Id<Tag>& v) {
    v.value = GetInteger();
  }
  void Get(Fence& v) {
    Get(v.epoch);
    v.number = GetInteger();
  }
  void Get(Span& v) { Get(v.seconds); }
  void Get(Instant& v) { Get(v.seconds); }
  void Get(Interval& v) {
    Get(v.begin);
    Get(v.end);
  }
  void Get(Moment& v) { Get(v.milliseconds); }
  void Get(BootSpan& v) { Get(v.milliseconds); }
  void Get(BootInstant& v) { Get(v.milliseconds); }
  void Get(Digest& v) { GetBytes(v.bytes); }
  void Get(Secret& v) { GetBytes(v.bytes); }
  void Get(ResourceSet& v);
  void Get(IntervalSet& v);
  void Get(std::map<std::string, std::string>& v);
  template <class T>
  void Get(std::vector<T>& v) {
    v.clear();
    for (uint64_t n = GetLength(); n > 0 && ok_; --n) Get(v.emplace_back());
  }
  template <class T>
  void Get(std::optional<T>& v) {
    bool there = false;
    Get(there);
    v.reset();
    if (there) Get(v.emplace());
  }
  template <class... T>
  void Get(std::variant<T...>& v) {
    GetAlternative(v, GetInteger(), std::index_sequence_for<T...>());
  }
  template <HasFields T>
  void Get(T& v) {
    WithFields(T::Fields(), [&](const auto&... field) { (Get(v.*(field.member)), ...); });
  }

 private:
  template <class Variant, size_t... I>
  void GetAlternative(Variant& v, uint64_t index, std::index_sequence<I...>) {
    if (index >= sizeof...(I)) ok_ = false;
    ((ok_ && index == I ? Get(v.template emplace<I>()) : void()), ...);
  }
  uint64_t GetInteger();
  uint64_t GetLength();  // 0, and ok() false, if the length exceeds the remaining bytes
  void GetBytes(std::array<uint8_t, 32>& v);
  std::string_view Take(size_t count);  // empty, and ok() false, if fewer bytes remain

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace muster::schemas
