// Scalars: the C++ types stored in the data section of a Cap'n Proto struct, with the range that
// each must be in.
#pragma once

#include <capnp/schema.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/codec/layout.h"

namespace muster::schemas::codec {

static_assert(std::endian::native == std::endian::little, "the data section is copied as it is");

using Which = capnp::schema::Type;

// Raw: the type in the data section. kWhich: the schema's type. Refusal: why a decoded value is
// refused; empty if it is not.
template <class T>
struct Scalar;

template <class T, Which::Which kType>
struct PlainScalar {
  using Raw = T;
  static constexpr Which::Which kWhich = kType;
  static Raw ToRaw(T v) { return v; }
  static T FromRaw(Raw v) { return v; }
  static std::string_view Refusal(T v, const Slot& slot) {
    if constexpr (std::is_unsigned_v<T>) return v > slot.at_most ? "too large" : "";
    return "";
  }
};
template <>
struct Scalar<bool> : PlainScalar<bool, Which::BOOL> {};
template <>
struct Scalar<uint32_t> : PlainScalar<uint32_t, Which::UINT32> {};
template <>
struct Scalar<int32_t> : PlainScalar<int32_t, Which::INT32> {};
template <>
struct Scalar<uint64_t> : PlainScalar<uint64_t, Which::UINT64> {};
template <>
struct Scalar<int64_t> : PlainScalar<int64_t, Which::INT64> {};
template <>
struct Scalar<double> : PlainScalar<double, Which::FLOAT64> {
  static std::string_view Refusal(double v, const Slot&) {
    return std::isfinite(v) ? "" : "not a number";
  }
};
template <class Tag>
struct Scalar<Id<Tag>> {
  using Raw = uint64_t;
  static constexpr Which::Which kWhich = Which::UINT64;
  static Raw ToRaw(Id<Tag> v) { return v.value; }
  static Id<Tag> FromRaw(Raw v) { return {v}; }
  static std::string_view Refusal(Id<Tag>, const Slot&) { return ""; }
};
template <class T>
  requires std::is_enum_v<T>
struct Scalar<T> {
  using Raw = uint16_t;
  static constexpr Which::Which kWhich = Which::ENUM;
  static Raw ToRaw(T v) { return static_cast<Raw>(v); }
  static T FromRaw(Raw v) { return static_cast<T>(v); }
};

// Times: one Int64 within +-kBound.
template <class T, int64_t T::* kMember, int64_t kBound>
struct TimeScalar {
  using Raw = int64_t;
  static constexpr Which::Which kWhich = Which::INT64;
  static Raw ToRaw(T v) { return v.*kMember; }
  static T FromRaw(Raw v) {
    T out;
    out.*kMember = v;
    return out;
  }
  static std::string_view Refusal(T v, const Slot&) {
    return v.*kMember > kBound || v.*kMember < -kBound ? "beyond 2^40 seconds" : "";
  }
};
inline constexpr int64_t kSecondsBound = kFarFuture.seconds;
inline constexpr int64_t kMillisecondsBound = kFarFuture.seconds * 1000;
template <>
struct Scalar<Instant> : TimeScalar<Instant, &Instant::seconds, kSecondsBound> {};
template <>
struct Scalar<Span> : TimeScalar<Span, &Span::seconds, kSecondsBound> {};
template <>
struct Scalar<Moment> : TimeScalar<Moment, &Moment::milliseconds, kMillisecondsBound> {};
template <>
struct Scalar<BootSpan> : TimeScalar<BootSpan, &BootSpan::milliseconds, kMillisecondsBound> {};
template <>
struct Scalar<BootInstant>
    : TimeScalar<BootInstant, &BootInstant::milliseconds, kMillisecondsBound> {};

template <class T>
concept IsScalar = requires { Scalar<T>::kWhich; };

}  // namespace muster::schemas::codec
