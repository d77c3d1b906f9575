// Encodes plain structs: computes the exact size, then fills one segment in a single walk, directly
// in the returned string.
#pragma once

#include <capnp/any.h>
#include <capnp/message.h>

#include <cstring>
#include <string>

#include "base/check.h"
#include "schemas/codec/shape.h"
#include "schemas/codec/words.h"

namespace muster::schemas::codec {

// A struct under construction; its words are zero initially.
struct Target {
  explicit Target(capnp::AnyStruct::Builder builder)
      : data(builder.getDataSection().begin()), pointers(builder.getPointerSection()) {}
  kj::byte* data;
  capnp::List<capnp::AnyPointer>::Builder pointers;
};

template <class T>
void WriteScalar(Target& target, T value, const Slot& slot) {
  const auto raw = Scalar<T>::ToRaw(value);
  if constexpr (std::is_same_v<decltype(raw), const bool>) {
    target.data[slot.offset / 8] |= static_cast<kj::byte>((raw ? 1 : 0) << (slot.offset % 8));
  } else {
    std::memcpy(target.data + slot.offset, &raw, sizeof raw);
  }
}

template <class T>
void Write(Target& target, const T& value, const Slot& slot);

// Functions of whole structs are not inlined: inlining them into each other costs minutes of
// compile time.
template <class T>
[[gnu::noinline]] void WriteFields(Target target, const T& value, const Layout& layout) {
  const Slot* slot = layout.slots.data();
  Shape<T>::Each(value, [&](const char*, const auto& member) { Write(target, member, *slot++); });
}

inline void WriteText(capnp::AnyPointer::Builder to, const std::string& value, const Slot& slot) {
  const auto size = static_cast<unsigned>(value.size());
  if (slot.data) {
    std::memcpy(to.initAs<capnp::Data>(size).begin(), value.data(), value.size());
  } else {
    std::memcpy(to.initAs<capnp::Text>(size).begin(), value.data(), value.size());
  }
}

template <class T>
void WriteStruct(capnp::AnyPointer::Builder to, const T& value, const Layout& layout) {
  WriteFields(Target(to.initAsAnyStruct(layout.data_words, layout.pointers)), value, layout);
}

template <class T>
void WriteList(capnp::AnyPointer::Builder to, const T& elements, const Slot& slot) {
  auto list = to.initAsListOfAnyStruct(slot.child->data_words, slot.child->pointers,
                                       static_cast<unsigned>(elements.size()));
  unsigned index = 0;
  for (const auto& element : elements) WriteFields(Target(list[index++]), element, *slot.child);
}

template <class E>
void WriteVector(capnp::AnyPointer::Builder to, const std::vector<E>& values, const Slot& slot) {
  const auto size = static_cast<unsigned>(values.size());
  if constexpr (IsScalar<E>) {
    auto list = to.initAs<capnp::List<typename Scalar<E>::Raw>>(size);
    for (unsigned i = 0; i < size; ++i) list.set(i, Scalar<E>::ToRaw(values[i]));
  } else {
    auto list = to.initAsAnyList(capnp::ElementSize::POINTER, size)
                    .template as<capnp::List<capnp::AnyPointer>>();
    for (unsigned i = 0; i < size; ++i) {
      if (!values[i].empty()) WriteText(list[i], values[i], slot);
    }
  }
}

template <class E>
void WritePresent(Target& target, const E& value, const Slot& slot) {
  const auto to = target.pointers[slot.offset];
  if constexpr (IsScalar<E>) {
    WriteStruct(to, Box<E>{value}, *slot.child);
  } else if constexpr (kIsText<E>) {
    WriteText(to, value, slot);
  } else if constexpr (IsShapeList<E>) {
    WriteList(to, ListOf<E>::Elements(value), slot);
  } else {
    Write(target, value, slot);
  }
}

template <class T>
void WriteUnion(Target& target, const T& value, const Layout& layout) {
  const auto index = static_cast<uint16_t>(value.index());
  std::memcpy(target.data + layout.discriminant, &index, sizeof index);
  std::visit([&](const auto& v) { Write(target, v, layout.slots[index]); }, value);
}

template <class T>
void Write(Target& target, const T& value, const Slot& slot) {
  if constexpr (IsScalar<T>) {
    WriteScalar(target, value, slot);
  } else if constexpr (kIsText<T>) {
    if (!value.empty()) WriteText(target.pointers[slot.offset], value, slot);
  } else if constexpr (kIsBytes32<T>) {
    std::memcpy(target.pointers[slot.offset].initAs<capnp::Data>(32).begin(), value.bytes.data(),
                32);
  } else if constexpr (IsShapeList<T>) {
    const auto& elements = ListOf<T>::Elements(value);
    if (!elements.empty()) WriteList(target.pointers[slot.offset], elements, slot);
  } else if constexpr (IsShape<T>) {
    WriteStruct(target.pointers[slot.offset], value, *slot.child);
  } else if constexpr (kIsOptional<T>) {
    if (value) WritePresent(target, *value, slot);
  } else if constexpr (kIsVector<T>) {
    if (!value.empty()) WriteVector(target.pointers[slot.offset], value, slot);
  } else {
    WriteUnion(target, value, *slot.child);
  }
}

// Encodes `prefix` followed by the message. REQUIRES prefix.size() to be a multiple of 8.
template <class T>
std::string EncodeRoot(const T& value, const Layout& layout, std::string_view prefix) {
  size_t words = 1 + layout.words();
  if constexpr (kIsVariant<T>) {
    words += WordsOfUnion(value, layout);
  } else {
    words += WordsBehind(value, layout);
  }
  const size_t begin = prefix.size() + 8;
  std::string out(begin + words * 8, '\0');
  std::memcpy(out.data(), prefix.data(), prefix.size());
  // Segment table: one segment with its number of words.
  const auto count = static_cast<uint32_t>(words);
  std::memcpy(out.data() + prefix.size() + 4, &count, sizeof count);
  char* segment = out.data() + begin;
  MUSTER_CHECK(reinterpret_cast<uintptr_t>(segment) % alignof(capnp::word) == 0);
  try {
    capnp::FlatMessageBuilder builder({reinterpret_cast<capnp::word*>(segment), words});
    Target root(
        builder.getRoot<capnp::AnyPointer>().initAsAnyStruct(layout.data_words, layout.pointers));
    if constexpr (kIsVariant<T>) {
      WriteUnion(root, value, layout);
    } else {
      WriteFields(root, value, layout);
    }
    builder.requireFilled();
  } catch (const kj::Exception& e) {
    // The computed size and the walk disagree: a bug.
    CheckFailed(__FILE__, __LINE__, e.getDescription().cStr());
  }
  return out;
}

}  // namespace muster::schemas::codec
