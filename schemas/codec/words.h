// Computes the exact encoded size of a plain struct in words, so that a message is one segment,
// allocated once.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schemas/codec/layout.h"
#include "schemas/codec/shape.h"

namespace muster::schemas::codec {

template <class T>
size_t WordsOf(const T& value, const Slot& slot);  // words behind the field's pointer

template <class T>
size_t WordsOfUnion(const T& value, const Layout& layout) {
  return std::visit([&](const auto& v) { return WordsOf(v, layout.slots[value.index()]); }, value);
}

// Words behind the pointers of a struct, without the struct's own words.
template <class T>
[[gnu::noinline]] size_t WordsBehind(const T& value, const Layout& layout) {
  size_t words = 0;
  const Slot* slot = layout.slots.data();
  Shape<T>::Each(value,
                 [&](const char*, const auto& member) { words += WordsOf(member, *slot++); });
  return words;
}

inline size_t WordsOfText(const std::string& value, const Slot& slot) {
  return (value.size() + (slot.data ? 0 : 1) + 7) / 8;
}

template <class T>
size_t WordsOfList(const T& elements, const Slot& slot) {
  size_t words = 1 + elements.size() * slot.child->words();
  for (const auto& element : elements) words += WordsBehind(element, *slot.child);
  return words;
}

template <class E>
size_t WordsOfVector(const std::vector<E>& values, const Slot& slot) {
  if constexpr (IsScalar<E>) {
    return (values.size() * sizeof(typename Scalar<E>::Raw) + 7) / 8;
  } else {
    size_t words = values.size();
    for (const std::string& value : values) words += value.empty() ? 0 : WordsOfText(value, slot);
    return words;
  }
}

template <class E>
size_t WordsOfPresent(const E& value, const Slot& slot) {
  if constexpr (IsScalar<E>) {
    return slot.child->words();
  } else if constexpr (kIsText<E>) {
    return WordsOfText(value, slot);
  } else if constexpr (IsShapeList<E>) {
    return WordsOfList(ListOf<E>::Elements(value), slot);
  } else {
    return WordsOf(value, slot);
  }
}

template <class T>
size_t WordsOf(const T& value, const Slot& slot) {
  if constexpr (IsScalar<T>) {
    return 0;
  } else if constexpr (kIsText<T>) {
    return value.empty() ? 0 : WordsOfText(value, slot);
  } else if constexpr (kIsBytes32<T>) {
    return 4;
  } else if constexpr (IsShapeList<T>) {
    const auto& elements = ListOf<T>::Elements(value);
    return elements.empty() ? 0 : WordsOfList(elements, slot);
  } else if constexpr (IsShape<T>) {
    return slot.child->words() + WordsBehind(value, *slot.child);
  } else if constexpr (kIsOptional<T>) {
    return value ? WordsOfPresent(*value, slot) : 0;
  } else if constexpr (kIsVector<T>) {
    return value.empty() ? 0 : WordsOfVector(value, slot);
  } else {
    return WordsOfUnion(value, *slot.child);
  }
}

}  // namespace muster::schemas::codec
