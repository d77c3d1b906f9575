// The codec's view of the other C++ types: shapes (structs with named fields) and standard
// containers. schemas/fields.h lists the allowed field types.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/interval.h"
#include "base/resources.h"
#include "schemas/codec/scalar.h"
#include "schemas/fields.h"

namespace muster::schemas::codec {

// "HoldOrder" of muster::schemas::HoldOrder.
template <class T>
constexpr std::string_view TypeName() {
  constexpr std::string_view kFunction = __PRETTY_FUNCTION__;
  constexpr size_t kBegin = kFunction.find("T = ") + 4;
  constexpr std::string_view kName =
      kFunction.substr(kBegin, kFunction.find_first_of(";]", kBegin) - kBegin);
  return kName.substr(kName.rfind(':') + 1);
}

// Describes a struct. kName is the schema's name (empty: any). Each(object, visit) calls
// visit(name, member) in order.
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
// A resource set as an element of a list: a struct that contains the list of its amounts.
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

// Describes a field that is one list of shapes: the type of its elements, and the elements of a
// value.
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
