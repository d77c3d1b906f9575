// The parts of decoding that do not depend on a field's type.
#include "schemas/codec/decode.h"

#include <cstring>

namespace muster::schemas::codec {

bool Decoder::At(std::string_view name) {
  const bool joined = path_.empty() || path_.front() == '[';
  path_ = std::string(name) + (joined ? "" : ".") + path_;
  return false;
}

bool Decoder::AtIndex(size_t index) { return At("[" + std::to_string(index) + "]"); }

bool Decoder::Refuse(std::string_view reason) {
  reason_ = reason;
  return false;
}

bool Decoder::Unknown(std::string_view what, unsigned value) {
  return Refuse("unknown " + std::string(what) + " " + std::to_string(value));
}

bool Decoder::ReadText(capnp::AnyPointer::Reader from, bool data, uint64_t at_most,
                       std::string& out) {
  kj::ArrayPtr<const char> text;
  if (data) {
    text = from.getAs<capnp::Data>().asChars();
  } else {
    text = from.getAs<capnp::Text>();
  }
  if (strict_ && text.size() > at_most)
    return Refuse("longer than " + std::to_string(at_most) + " bytes");
  out.assign(text.begin(), text.size());
  return true;
}

bool Decoder::ReadBytes32(capnp::AnyPointer::Reader from, std::array<uint8_t, 32>& out) {
  const auto bytes = from.getAs<capnp::Data>();
  if (bytes.size() != out.size()) return Refuse("not 32 bytes");
  std::memcpy(out.data(), bytes.begin(), out.size());
  return true;
}

bool Decoder::ReadListHead(capnp::AnyPointer::Reader from, const Slot& slot,
                           capnp::ElementSize element, capnp::AnyList::Reader& list) {
  list = from.getAs<capnp::AnyList>();
  if (strict_ && list.size() > slot.at_most)
    return Refuse("more than " + std::to_string(slot.at_most) + " entries");
  return list.size() == 0 || list.getElementSize() == element || Refuse("a list of something else");
}

bool Decoder::ReadTexts(capnp::AnyPointer::Reader from, const Slot& slot,
                        std::vector<std::string>& out) {
  // $atMost of this field bounds the list, not its texts.
  constexpr uint64_t kUnbounded = std::numeric_limits<uint64_t>::max();
  capnp::AnyList::Reader list;
  if (!ReadListHead(from, slot, capnp::ElementSize::POINTER, list)) return false;
  if (list.size() == 0) return true;
  const auto texts = list.as<capnp::List<capnp::AnyPointer>>();
  out.resize(texts.size());
  for (unsigned i = 0; i < texts.size(); ++i) {
    if (!ReadText(texts[i], false, kUnbounded, out[i])) return AtIndex(i);
  }
  return true;
}

}  // namespace muster::schemas::codec
