// Messages to plain structs. What a field breaks is told by name; what breaks the form of the
// message surfaces as kj::Exception and is caught here. The hot path of a well-formed message
// throws nothing.
#pragma once

#include <capnp/any.h>
#include <capnp/message.h>
#include <capnp/serialize.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/status.h"
#include "schemas/codec/bind.h"
#include "schemas/codec/refusals.h"

namespace muster::schemas::codec {

// A struct being read. Data and pointers beyond its end read as zero and null: it was written by an
// older schema.
struct Source {
  explicit Source(capnp::AnyStruct::Reader reader)
      : data(reader.getDataSection()),
        pointers(reader.getPointerSection()),
        pointer_count(pointers.size()) {}
  capnp::AnyPointer::Reader Pointer(uint32_t index) const {
    return index < pointer_count ? pointers[index] : capnp::AnyPointer::Reader();
  }
  template <class Raw>
  Raw Load(uint32_t offset) const {
    Raw raw{};
    if (offset + sizeof raw <= data.size()) std::memcpy(&raw, data.begin() + offset, sizeof raw);
    return raw;
  }
  bool LoadBit(uint32_t offset) const {
    return offset / 8 < data.size() && ((data[offset / 8] >> (offset % 8)) & 1) != 0;
  }
  kj::ArrayPtr<const kj::byte> data;
  capnp::List<capnp::AnyPointer>::Reader pointers;
  unsigned pointer_count;
};

// Reads one message. Every Read... is false after a refusal, with the path down to the field and
// the reason.
class Decoder {
 public:
  template <class T>
  bool ReadFields(const Source& from, const Layout& layout, T& out) {
    const Slot* slot = layout.slots.data();
    bool good = true;
    Shape<T>::Each(out, [&](const char*, auto& member) {
      good = good && (Read(from, *slot, member) || At(slot->name));
      ++slot;
    });
    return good && Accept(Refusal(out));
  }

  template <class V>
  bool ReadUnion(const Source& from, const Layout& layout, V& out) {
    const auto index = from.Load<uint16_t>(layout.discriminant);
    if (index >= layout.slots.size()) return Accept("unknown kind " + std::to_string(index));
    return ReadAlternative(from, layout.slots[index], index, out,
                           std::make_index_sequence<std::variant_size_v<V>>()) ||
           At(layout.slots[index].name);
  }

  std::string Why() const { return path_.empty() ? reason_ : path_ + ": " + reason_; }

 private:
  // False, after noting where or why.
  bool At(std::string_view name) {
    const bool joined = path_.empty() || path_.front() == '[';
    path_ = std::string(name) + (joined ? "" : ".") + path_;
    return false;
  }
  bool AtIndex(size_t index) { return At("[" + std::to_string(index) + "]"); }
  // True if there is nothing against it.
  bool Accept(std::string_view refusal) {
    if (refusal.empty()) return true;
    reason_ = refusal;
    return false;
  }
  bool Missing() { return Accept("missing"); }

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
      if (raw >= slot.enumerants) return Accept("unknown value " + std::to_string(raw));
      out = Scalar<T>::FromRaw(raw);
      return true;
    } else {
      out = Scalar<T>::FromRaw(raw);
      return Accept(Scalar<T>::Refusal(out, slot));
    }
  }

  bool ReadText(capnp::AnyPointer::Reader from, const Slot& slot, std::string& out) {
    if (slot.data) {
      const auto bytes = from.getAs<capnp::Data>();
      if (bytes.size() > slot.at_most)
        return Accept("longer than " + std::to_string(slot.at_most) + " bytes");
      out.assign(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
    } else {
      const auto text = from.getAs<capnp::Text>();
      if (text.size() > slot.at_most)
        return Accept("longer than " + std::to_string(slot.at_most) + " bytes");
      out.assign(text.begin(), text.size());
    }
    return true;
  }

  bool ReadBytes32(capnp::AnyPointer::Reader from, std::array<uint8_t, 32>& out) {
    const auto bytes = from.getAs<capnp::Data>();
    if (bytes.size() != out.size()) return Accept("not 32 bytes");
    std::memcpy(out.data(), bytes.begin(), out.size());
    return true;
  }

  // The list behind a pointer, its size within the bound and its elements of the right form. False:
  // refused.
  bool ReadListHead(capnp::AnyPointer::Reader from, const Slot& slot, capnp::ElementSize element,
                    capnp::AnyList::Reader& list) {
    list = from.getAs<capnp::AnyList>();
    if (list.size() > slot.at_most)
      return Accept("more than " + std::to_string(slot.at_most) + " entries");
    return list.size() == 0 || list.getElementSize() == element ||
           Accept("a list of something else");
  }

  template <class E>
  bool ReadShapes(capnp::AnyPointer::Reader from, const Slot& slot, std::vector<E>& out) {
    capnp::AnyList::Reader list;
    if (!ReadListHead(from, slot, capnp::ElementSize::INLINE_COMPOSITE, list)) return false;
    if (list.size() == 0) return true;
    const auto structs = list.as<capnp::List<capnp::AnyStruct>>();
    out.reserve(std::min(structs.size(), 64u));  // a lying size must not cost memory
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
      if (!ReadShapes(from, slot, elements) || !Accept(ListRefusal(elements))) return false;
      if constexpr (std::is_same_v<T, TextMap>) {
        for (auto& pair : elements) out.insert(out.end(), std::move(pair));
      } else {
        out = T(std::move(elements));
      }
      return true;
    }
  }

  template <class E>
  bool ReadVector(capnp::AnyPointer::Reader from, const Slot& slot, std::vector<E>& out) {
    capnp::AnyList::Reader list;
    if constexpr (IsScalar<E>) {
      using Raw = typename Scalar<E>::Raw;
      static_assert(sizeof(Raw) == 8 || sizeof(Raw) == 2);
      constexpr auto kElement =
          sizeof(Raw) == 8 ? capnp::ElementSize::EIGHT_BYTES : capnp::ElementSize::TWO_BYTES;
      if (!ReadListHead(from, slot, kElement, list)) return false;
      if (list.size() == 0) return true;
      const auto values = list.as<capnp::List<Raw>>();
      out.resize(values.size());
      for (unsigned i = 0; i < values.size(); ++i) {
        if (!ReadRaw<E>(values[i], slot, out[i])) return AtIndex(i);
      }
    } else {
      if (!ReadListHead(from, slot, capnp::ElementSize::POINTER, list)) return false;
      if (list.size() == 0) return true;
      const auto texts = list.as<capnp::List<capnp::AnyPointer>>();
      Slot each = slot;
      each.at_most = std::numeric_limits<uint64_t>::max();  // the bound is the list's
      out.resize(texts.size());
      for (unsigned i = 0; i < texts.size(); ++i) {
        if (!ReadText(texts[i], each, out[i])) return AtIndex(i);
      }
    }
    return true;
  }

  template <class T>
  bool ReadStruct(capnp::AnyPointer::Reader from, const Layout& layout, T& out) {
    if (from.isNull()) return Missing();
    return ReadFields(Source(from.getAs<capnp::AnyStruct>()), layout, out);
  }

  template <class E>
  bool ReadOptional(const Source& from, const Slot& slot, std::optional<E>& out) {
    if (from.Pointer(slot.offset).isNull()) return true;
    if constexpr (IsScalar<E>) {
      Box<E> box;
      if (!ReadStruct(from.Pointer(slot.offset), *slot.child, box)) return false;
      out = box.value;
      return true;
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
      return ReadText(from.Pointer(slot.offset), slot, out);
    } else if constexpr (kIsBytes32<T>) {
      return ReadBytes32(from.Pointer(slot.offset), out.bytes);
    } else if constexpr (IsShapeList<T>) {
      return ReadList(from.Pointer(slot.offset), slot, out);
    } else if constexpr (IsShape<T>) {
      return ReadStruct(from.Pointer(slot.offset), *slot.child, out);
    } else if constexpr (kIsOptional<T>) {
      return ReadOptional(from, slot, out);
    } else if constexpr (kIsVector<T>) {
      return ReadVector(from.Pointer(slot.offset), slot, out);
    } else {
      return ReadUnion(from, *slot.child, out);
    }
  }

  std::string path_;
  std::string reason_;
};

// A message copied to where its words are aligned: neither frames nor stored values are.
class AlignedMessage {
 public:
  // Empty, or why `bytes` cannot be a message at all.
  static std::string_view Refusal(std::string_view bytes, size_t limit);
  // REQUIRES Refusal(bytes, ...) to be empty. Throws kj::Exception.
  explicit AlignedMessage(std::string_view bytes);
  capnp::AnyStruct::Reader Root();
  bool EndsWithItsSegments() const { return reader_.getEnd() == words_.end(); }

 private:
  kj::Array<capnp::word> words_;
  capnp::FlatArrayMessageReader reader_;
};

template <class T>
absl::StatusOr<T> DecodeRoot(std::string_view bytes, const Layout& layout, size_t limit) {
  if (const std::string_view refusal = AlignedMessage::Refusal(bytes, limit); !refusal.empty()) {
    return InvalidArgument(refusal);
  }
  Decoder decoder;
  try {
    AlignedMessage message(bytes);
    if (!message.EndsWithItsSegments())
      return InvalidArgument("malformed message: bytes after its end");
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
