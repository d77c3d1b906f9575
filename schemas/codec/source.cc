// Checks the form of a whole message before any field is read.
#include "schemas/codec/source.h"

namespace muster::schemas::codec {
namespace {

// Pointers may share a target, so a reader may traverse more than the message's size. No honest
// message makes it traverse more than four times its size.
constexpr uint64_t kTraversalFactor = 4;
// The deepest message (a listing: envelope, body, holds, hold, order, parts, part, chunks, chunk,
// amounts, amount) needs 12.
constexpr int kNesting = 16;

capnp::ReaderOptions OptionsFor(size_t words) {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = kTraversalFactor * words;
  options.nestingLimit = kNesting;
  return options;
}

kj::Array<capnp::word> Aligned(std::string_view bytes) {
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  return words;
}

}  // namespace

std::string AlignedMessage::Refusal(std::string_view bytes, size_t limit) {
  if (bytes.size() > limit) {
    return "message of " + std::to_string(bytes.size()) + " bytes; at most " +
           std::to_string(limit);
  }
  if (bytes.size() < 2 * sizeof(capnp::word)) return "malformed message: too short";
  if (bytes.size() % sizeof(capnp::word) != 0) return "malformed message: not in whole words";
  return "";
}

AlignedMessage::AlignedMessage(std::string_view bytes)
    : words_(Aligned(bytes)), reader_(words_, OptionsFor(words_.size())) {}

capnp::AnyStruct::Reader AlignedMessage::Root() {
  KJ_REQUIRE(reader_.getEnd() == words_.end(), "bytes after the last segment");
  return reader_.getRoot<capnp::AnyStruct>();
}

}  // namespace muster::schemas::codec
