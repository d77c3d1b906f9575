// How the codec sees C++ types: scalars (in the data section), shapes (structs with named fields)
// and the standard containers. Everything the codec can carry is classified here.
#pragma once

#include <capnp/schema.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "schemas/codec/layout.h"
#include "schemas/fields.h"

namespace muster::schemas::codec {

static_assert(std::endian::native == std::endian::little, "the data section is copied as it is");

using Which = capnp::schema::Type;

// ---- scalars
// ---------------------------------------------------------------------------------------

// Raw: as in the data section. kWhich: the schema's type. Refusal: empty, or why a decoded value is
// refused.
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

// ---- shapes
// ----------------------------------------------------------------------------------------

// "HoldOrder" of muster::schemas::HoldOrder.
template <class T>
constexpr std::string_view TypeName() {
  constexpr std::string_view kFunction = __PRETTY_FUNCTION__;
  constexpr size_t kBegin = kFunction.find("T = ") + 4;
  constexpr std::string_view kName =
      kFunction.substr(kBegin, kFunction.find_first_of(";]", kBegin) - kBegin);
  return kName.substr(kName.rfind(':') + 1);
}

// A struct: kName is the schema's (empty: any), Each(object, visit) calls visit(name, member) in
// order.
template <class T>
struct Shape;

template <HasFields T>
struct Shape<T> {
  static constexpr std::string_view kName = TypeName<T>();
  template <class Object, class Visit>
  static void Each(Object& object, Visit&& visit) {
    ForEachField(object, visit);
  }
};
template <>
struct Shape<Fence> {
  static constexpr std::string_view kName = "Fence";
  template <class Object, class Visit>
  static void Each(Object& fence, Visit&& visit) {
    visit("epoch", fence.epoch);
    visit("number", fence.number);
  }
};
template <>
struct Shape<Interval> {
  static constexpr std::string_view kName = "Interval";
  template <class Object, class Visit>
  static void Each(Object& interval, Visit&& visit) {
    visit("begin", interval.begin);
    visit("end", interval.end);
  }
};
template <>
struct Shape<ResourceSet::Entry> {
  static constexpr std::string_view kName = "Amount";
  template <class Object, class Visit>
  static void Each(Object& entry, Visit&& visit) {
    visit("name", entry.first);
    visit("amount", entry.second);
  }
};
template <class Name>
  requires std::is_same_v<std::remove_const_t<Name>, std::string>
struct Shape<std::pair<Name, std::string>> {
  static constexpr std::string_view kName = "Pair";
  template <class Object, class Visit>
  static void Each(Object& pair, Visit&& visit) {
    visit("name", pair.first);
    visit("value", pair.second);
  }
};
// A set as an element of a list: a struct around the list of its amounts.
template <>
struct Shape<ResourceSet> {
  static constexpr std::string_view kName = "ResourceSet";
  template <class Object, class Visit>
  static void Each(Object& set, Visit&& visit) {
    visit("amounts", set);
  }
};
// A scalar that may be absent.
template <class T>
struct Box {
  T value{};
};
template <class T>
struct Shape<Box<T>> {
  static constexpr std::string_view kName = "";
  template <class Object, class Visit>
  static void Each(Object& box, Visit&& visit) {
    visit("value", box.value);
  }
};

template <class T>
concept IsShape = requires { Shape<T>::kName; };

// ---- containers
// ------------------------------------------------------------------------------------

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVariant = false;
template <class... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;
template <class T>
inline constexpr bool kIsBytes32 = std::is_same_v<T, Digest> || std::is_same_v<T, Secret>;
template <class T>
inline constexpr bool kIsText = std::is_same_v<T, std::string>;
using TextMap = std::map<std::string, std::string>;

// A field that is one list of shapes: its elements' type, and the elements of a value.
template <class T>
struct ListOf {
  using Element = void;
};
template <class T>
  requires IsShape<T>
struct ListOf<std::vector<T>> {
  using Element = T;
  static const std::vector<T>& Elements(const std::vector<T>& v) { return v; }
};
template <>
struct ListOf<ResourceSet> {
  using Element = ResourceSet::Entry;
  static const std::vector<Element>& Elements(const ResourceSet& v) { return v.entries(); }
};
template <>
struct ListOf<IntervalSet> {
  using Element = Interval;
  static const std::vector<Element>& Elements(const IntervalSet& v) { return v.intervals(); }
};
template <>
struct ListOf<TextMap> {
  using Element = std::pair<std::string, std::string>;
  static const TextMap& Elements(const TextMap& v) { return v; }
};
template <class T>
concept IsShapeList = !std::is_void_v<typename ListOf<T>::Element>;

}  // namespace muster::schemas::codec
