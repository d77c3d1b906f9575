// Reading a message without knowing its types: the message in aligned storage, and one struct of it
// as data and pointers.
#pragma once

#include <capnp/any.h>
#include <capnp/serialize.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace muster::schemas::codec {

// A message copied to where its words are aligned: neither frames nor stored values are.
class AlignedMessage {
 public:
  // Empty, or why `bytes` cannot be a message at all.
  static std::string Refusal(std::string_view bytes, size_t limit);
  // REQUIRES Refusal(bytes, ...) to be empty. Throws kj::Exception.
  explicit AlignedMessage(std::string_view bytes);
  // The root struct; it and all read from it live as long as this. Throws kj::Exception.
  capnp::AnyStruct::Reader Root();

 private:
  kj::Array<capnp::word> words_;
  capnp::FlatArrayMessageReader reader_;
};

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

}  // namespace muster::schemas::codec
