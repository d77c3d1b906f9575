// Decodes messages to plain structs. A refusal of a field names the field. A malformed message
// raises kj::Exception, which is caught here. Decoding a well-formed message throws nothing.
#pragma once

#include <capnp/any.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "schemas/codec/refusals.h"
#include "schemas/codec/shape.h"
#include "schemas/codec/source.h"

namespace muster::schemas::codec {

// The author of a message. Messages of a peer must obey every rule of common.capnp. A daemon's own
// records are checked for their form only: a daemon must be able to read whatever it wrote, or a
// single bad value would make its store unreadable.
enum class Author { kPeer, kSelf };

// Reads one message. Every Read... function returns false after a refusal; Why() then returns the
// reason with the path to the field.
class Decoder {
 public:
  explicit Decoder(Author author) : strict_(author == Author::kPeer) {}

  // Functions of whole structs are not inlined: inlining them into each other costs minutes of
  // compile time.
  template <class T>
  [[gnu::noinline]] bool ReadFields(const Source& from, const Layout& layout, T& out) {
    const Slot* slot = layout.slots.data();
    bool good = true;
    Shape<T>::Each(out, [&](const char*, auto& member) {
      good = good && (Read(from, *slot, member) || At(slot->name));
      ++slot;
    });
    return good && (!strict_ || Accept(Refusal(out)));
  }

  template <class V>
  [[gnu::noinline]] bool ReadUnion(const Source& from, const Layout& layout, V& out) {
    const auto index = from.Load<uint16_t>(layout.discriminant);
    if (index >= layout.slots.size()) return Unknown("kind", index);
    const Slot& slot = layout.slots[index];
    constexpr auto kAll = std::make_index_sequence<std::variant_size_v<V>>();
    return ReadAlternative(from, slot, index, out, kAll) || At(slot.name);
  }

  // The refusal: "body.report.changes[3].what.moved: moved without a cause".
  std::string Why() const { return path_.empty() ? reason_ : path_ + ": " + reason_; }

 private:
  // These return false, after recording the place or the reason.
  bool At(std::string_view name);
  bool AtIndex(size_t index);
  bool Refuse(std::string_view reason);
  bool Unknown(std::string_view what, unsigned value);
  // True if `refusal` is empty; otherwise refuses.
  bool Accept(std::string_view refusal) { return refusal.empty() || Refuse(refusal); }

  bool ReadText(capnp::AnyPointer::Reader from, bool data, uint64_t at_most, std::string& out);
  bool ReadBytes32(capnp::AnyPointer::Reader from, std::array<uint8_t, 32>& out);
  // Gets a list, of which no element is read yet. Checks its bound, and that it is empty or has
  // elements of this size.
  bool ReadListHead(capnp::AnyPointer::Reader from, const Slot& slot, capnp::ElementSize element,
                    capnp::AnyList::Reader& list);

  template <class V, size_t... kIndex>
  bool ReadAlternative(const Source& from, const Slot& slot, size_t index, V& out,
                       std::index_sequence<kIndex...>) {
    bool good = false;
    ((kIndex == index && (good = Read(from, slot, out.template emplace<kIndex>()), true)) || ...);
    return good;
  }

  template <class T>
  bool ReadRaw(typename Scalar<T>::Raw raw, const Slot& slot, T& out) {
    if constexpr (std::is_enum_v<T>) {
      if (raw >= slot.enumerants) return Unknown("value", raw);
      out = Scalar<T>::FromRaw(raw);
      return true;
    } else {
      out = Scalar<T>::FromRaw(raw);
      return !strict_ || Accept(Scalar<T>::Refusal(out, slot));
    }
  }

  template <class E>
  bool ReadShapes(capnp::AnyPointer::Reader from, const Slot& slot, std::vector<E>& out) {
    capnp::AnyList::Reader list;
    if (!ReadListHead(from, slot, capnp::ElementSize::INLINE_COMPOSITE, list)) return false;
    if (list.size() == 0) return true;
    const auto structs = list.as<capnp::List<capnp::AnyStruct>>();
    out.reserve(std::min(structs.size(), 64u));  // a false size must not allocate memory
    for (unsigned i = 0; i < structs.size(); ++i) {
      if (!ReadFields(Source(structs[i]), *slot.child, out.emplace_back())) return AtIndex(i);
    }
    return true;
  }

  template <class T>
  bool ReadList(capnp::AnyPointer::Reader from, const Slot& slot, T& out) {
    if constexpr (kIsVector<T>) {
      return ReadShapes(from, slot, out);
    } else {
      std::vector<typename ListOf<T>::Element> elements;
      if (!ReadShapes(from, slot, elements)) return false;
      if (strict_ && !Accept(ListRefusal(elements))) return false;
      if constexpr (std::is_same_v<T, TextMap>) {
        for (auto& pair : elements) out.insert(out.end(), std::move(pair));
      } else {
        out = T(std::move(elements));
      }
      return true;
    }
  }

  template <class E>
  bool ReadScalars(capnp::AnyPointer::Reader from, const Slot& slot, std::vector<E>& out) {
    using Raw = typename Scalar<E>::Raw;
    static_assert(sizeof(Raw) == 8 || sizeof(Raw) == 2);
    constexpr auto kSize =
        sizeof(Raw) == 8 ? capnp::ElementSize::EIGHT_BYTES : capnp::ElementSize::TWO_BYTES;
    capnp::AnyList::Reader list;
    if (!ReadListHead(from, slot, kSize, list)) return false;
    if (list.size() == 0) return true;
    const auto values = list.as<capnp::List<Raw>>();
    out.resize(values.size());
    Slot element = slot;  // $atMost bounds the list's length, not its elements
    element.at_most = std::numeric_limits<uint64_t>::max();
    for (unsigned i = 0; i < values.size(); ++i) {
      if (!ReadRaw<E>(values[i], element, out[i])) return AtIndex(i);
    }
    return true;
  }

  bool ReadTexts(capnp::AnyPointer::Reader from, const Slot& slot, std::vector<std::string>& out);

  template <class T>
  bool ReadStruct(capnp::AnyPointer::Reader from, const Layout& layout, T& out) {
    if (from.isNull()) return Refuse("missing");
    return ReadFields(Source(from.getAs<capnp::AnyStruct>()), layout, out);
  }

  template <class E>
  bool ReadOptional(const Source& from, const Slot& slot, std::optional<E>& out) {
    if (from.Pointer(slot.offset).isNull()) return true;
    if constexpr (IsScalar<E>) {
      const Source box(from.Pointer(slot.offset).getAs<capnp::AnyStruct>());
      return Read(box, slot.child->slots.front(), out.emplace());
    } else {
      return Read(from, slot, out.emplace());
    }
  }

  template <class T>
  bool Read(const Source& from, const Slot& slot, T& out) {
    if constexpr (std::is_same_v<T, bool>) {
      out = from.LoadBit(slot.offset);
      return true;
    } else if constexpr (IsScalar<T>) {
      return ReadRaw(from.Load<typename Scalar<T>::Raw>(slot.offset), slot, out);
    } else if constexpr (kIsText<T>) {
      return ReadText(from.Pointer(slot.offset), slot.data, slot.at_most, out);
    } else if constexpr (kIsBytes32<T>) {
      return ReadBytes32(from.Pointer(slot.offset), out.bytes);
    } else if constexpr (IsShapeList<T>) {
      return ReadList(from.Pointer(slot.offset), slot, out);
    } else if constexpr (IsShape<T>) {
      return ReadStruct(from.Pointer(slot.offset), *slot.child, out);
    } else if constexpr (kIsOptional<T>) {
      return ReadOptional(from, slot, out);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      return ReadTexts(from.Pointer(slot.offset), slot, out);
    } else if constexpr (kIsVector<T>) {
      return ReadScalars(from.Pointer(slot.offset), slot, out);
    } else {
      return ReadUnion(from, *slot.child, out);
    }
  }

  bool strict_;
  std::string path_;
  std::string reason_;
};

// Decodes `bytes` to a T, or returns InvalidArgument. Accepts at most `limit` bytes.
template <class T>
absl::StatusOr<T> DecodeRoot(std::string_view bytes, const Layout& layout, Author author,
                             size_t limit) {
  const std::string refusal = AlignedMessage::Refusal(bytes, limit);
  if (!refusal.empty()) return InvalidArgument(refusal);
  Decoder decoder(author);
  try {
    AlignedMessage message(bytes);
    const Source root(message.Root());
    T out;
    bool good = false;
    if constexpr (kIsVariant<T>) {
      good = decoder.ReadUnion(root, layout, out);
    } else {
      good = decoder.ReadFields(root, layout, out);
    }
    if (good) return out;
  } catch (const kj::Exception& e) {
    return InvalidArgument("malformed message: " + std::string(e.getDescription().cStr()));
  }
  return InvalidArgument(decoder.Why());
}

}  // namespace muster::schemas::codec
