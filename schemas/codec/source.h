// Reads a message without knowing its types: the message in aligned storage, and one of its structs
// as data and pointers.
#pragma once

#include <capnp/any.h>
#include <capnp/serialize.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace muster::schemas::codec {

// A message copied to aligned storage: neither frames nor stored values are aligned to words.
class AlignedMessage {
 public:
  // Why `bytes` cannot be a message; empty if they can.
  static std::string Refusal(std::string_view bytes, size_t limit);
  // REQUIRES Refusal(bytes, ...) to be empty. Throws kj::Exception.
  explicit AlignedMessage(std::string_view bytes);
  // The root struct. It and everything read from it is valid as long as this object. Throws
  // kj::Exception.
  capnp::AnyStruct::Reader Root();

 private:
  kj::Array<capnp::word> words_;
  capnp::FlatArrayMessageReader reader_;
};

// A struct being read. Data and pointers beyond its end read as zero and null, since an older
// schema may have written it.
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

}  // namespace muster::schemas::codec
