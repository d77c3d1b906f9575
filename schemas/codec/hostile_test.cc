// Every byte string gives a value or a status (G11): truncated, lengthened, flipped, redirected and
// crafted ones. What decodes must also encode, and come back as the same bytes.
#include <capnp/any.h>
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "schemas/codec/codec.h"
#include "schemas/codec/filler_test.h"
#include "schemas/codec/kinds_test.h"
#include "schemas/limits.h"

namespace muster::schemas {
namespace {

constexpr size_t kWord = 8;

// A value or a status; false: a status. Fails the test if a value is not stable.
template <class T>
bool Taken(std::string_view bytes) {
  const absl::StatusOr<T> value = Kind<T>::Value(bytes);
  if (!value.ok()) {
    EXPECT_FALSE(value.status().message().empty());
    return false;
  }
  const std::string once = Kind<T>::Bytes(*value);
  const absl::StatusOr<T> again = Kind<T>::Value(once);
  EXPECT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again.ok() && Kind<T>::Bytes(*again) == once);
  return true;
}

template <class T>
std::string Filled(uint64_t seed, uint64_t width) {
  T value;
  codec::Filler(seed, width).FillRoot(value, Kind<T>::Layout());
  return Kind<T>::Bytes(value);
}

template <class T>
class Hostile : public testing::Test {};
TYPED_TEST_SUITE(Hostile, Kinds);

TYPED_TEST(Hostile, AnythingTruncatedIsRefused) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const std::string bytes = Filled<TypeParam>(seed, 2);
    for (size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_FALSE(Taken<TypeParam>(std::string_view(bytes).substr(0, size)))
          << "seed " << seed << ", " << size;
    }
  }
}

TYPED_TEST(Hostile, AnythingLengthenedIsRefused) {
  const std::string bytes = Filled<TypeParam>(1, 2);
  for (size_t size = 1; size <= 3 * kWord; ++size) {
    ASSERT_FALSE(Taken<TypeParam>(bytes + std::string(size, '\0'))) << size;
  }
}

// 7 kinds x 15,000 rounds.
TYPED_TEST(Hostile, FlippedBitsGiveAValueOrAStatus) {
  Random random(20261121);
  size_t taken = 0;
  size_t refused = 0;
  for (int round = 0; round < 15'000; ++round) {
    std::string bytes = Filled<TypeParam>(random.Next(), random.Below(4));
    for (uint64_t flips = 1 + random.Below(6); flips > 0; --flips) {
      const uint64_t bit = random.Below(bytes.size() * 8);
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    }
    ++(Taken<TypeParam>(bytes) ? taken : refused);
    ASSERT_FALSE(this->HasFailure()) << "round " << round;
  }
  EXPECT_GT(taken, 100u);
  EXPECT_GT(refused, 100u);
}

TYPED_TEST(Hostile, ReplacedWordsGiveAValueOrAStatus) {
  Random random(7);
  for (int round = 0; round < 5'000; ++round) {
    std::string bytes = Filled<TypeParam>(random.Next(), 2);
    const uint64_t from = random.Below(bytes.size() / kWord) * kWord;
    const uint64_t to = random.Below(bytes.size() / kWord) * kWord;
    uint64_t word =
        random.Chance(300) ? random.Next() : uint64_t{random.Below(256)} << (8 * random.Below(8));
    if (random.Chance(400)) std::memcpy(&word, bytes.data() + from, kWord);
    std::memcpy(bytes.data() + to, &word, kWord);
    Taken<TypeParam>(bytes);
    ASSERT_FALSE(this->HasFailure()) << "round " << round;
  }
}

TYPED_TEST(Hostile, NoiseGivesAStatus) {
  Random random(11);
  for (int round = 0; round < 5'000; ++round) {
    const size_t mark = codec::kIsVariant<TypeParam> ? kWord : 0;
    std::string bytes(random.Below(40) * kWord, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Next());
    if (bytes.size() >= kWord && random.Chance(800)) {  // a segment table that fits
      const auto words = static_cast<uint32_t>(bytes.size() / kWord - 1);
      std::memset(bytes.data(), 0, 4);
      std::memcpy(bytes.data() + 4, &words, sizeof words);
    }
    Taken<TypeParam>(Filled<TypeParam>(0, 0).substr(0, mark) + bytes);
    ASSERT_FALSE(this->HasFailure()) << "round " << round;
  }
}

// Every word of a message in turn becomes a pointer to every other one, itself and its parents
// included.
TYPED_TEST(Hostile, RedirectedPointersGiveAValueOrAStatus) {
  const size_t mark = codec::kIsVariant<TypeParam> ? kWord : 0;
  std::string bytes;
  for (uint64_t seed = 0; bytes.size() < 40 * kWord; ++seed) bytes = Filled<TypeParam>(seed, 1);
  const size_t begin = mark + kWord;
  const auto words = static_cast<int64_t>(std::min<size_t>((bytes.size() - begin) / kWord, 60));
  for (int64_t at = 0; at < words; ++at) {
    for (int64_t target = 0; target < words; ++target) {
      for (const uint64_t kind :
           {uint64_t{3} << 32 | uint64_t{4} << 48,                // struct, 3 words, 4 pointers
            uint64_t{1} | uint64_t{7} << 32 | uint64_t{8} << 35,  // list of structs, 8 words
            uint64_t{1} | uint64_t{6} << 32 | uint64_t{4} << 35,  // list of 4 pointers
            uint64_t{1} | uint64_t{2} << 32 | uint64_t{9} << 35,  // list of 9 bytes
            uint64_t{2}}) {                                       // far, in this segment
        const uint64_t offset = kind == 2
                                    ? static_cast<uint64_t>(target) << 3
                                    : (static_cast<uint64_t>(target - at - 1) << 2) & 0xffffffff;
        const uint64_t pointer = kind | offset;
        std::string redirected = bytes;
        std::memcpy(redirected.data() + begin + static_cast<size_t>(at) * kWord, &pointer, kWord);
        Taken<TypeParam>(redirected);
      }
    }
    ASSERT_FALSE(this->HasFailure()) << "word " << at;
  }
}

// A message to the meta whose body is alternative `kBody`, built pointer by pointer.
class Bomb {
 public:
  explicit Bomb(uint16_t body)
      : envelope_(Kind<ToMeta>::Layout()),
        union_(*envelope_.slots.back().child),
        root_(builder_.getRoot<capnp::AnyPointer>().initAsAnyStruct(envelope_.data_words,
                                                                    envelope_.pointers)) {
    std::memcpy(root_.getDataSection().begin() + union_.discriminant, &body, sizeof body);
    layout_ = union_.slots[body].child;
    body_ = root_.getPointerSection()[union_.slots[body].offset].initAsAnyStruct(
        layout_->data_words, layout_->pointers);
  }
  // The pointer of a field of the body.
  capnp::AnyPointer::Builder operator[](size_t field) {
    return body_.getPointerSection()[layout_->slots[field].offset];
  }
  const codec::Slot& slot(size_t field) const { return layout_->slots[field]; }
  std::string Bytes() {
    const kj::Array<capnp::word> words = capnp::messageToFlatArray(builder_);
    const auto bytes = words.asChars();
    return {bytes.begin(), bytes.size()};
  }

 private:
  const codec::Layout& envelope_;
  const codec::Layout& union_;
  const codec::Layout* layout_ = nullptr;
  capnp::MallocMessageBuilder builder_;
  capnp::AnyStruct::Builder root_;
  capnp::AnyStruct::Builder body_ = nullptr;
};

constexpr uint16_t kVerdict = 2;  // alternatives of ToMeta.body
constexpr uint16_t kAnswers = 5;
constexpr unsigned kMillions = 100'000'000;  // elements without a byte on the wire

std::string Why(Bomb& bomb) { return std::string(Text(DecodeToMeta(bomb.Bytes()).status())); }

TEST(Bombs, ListsOfEmptyStructsCostNothing) {
  Bomb bomb(kAnswers);
  bomb[0].initAsListOfAnyStruct(0, 0, kMillions);
  ASSERT_LT(bomb.Bytes().size(), 200u);
  EXPECT_NE(Why(bomb).find("malformed message"), std::string::npos) << Why(bomb);
  Bomb small(kAnswers);
  small[0].initAsListOfAnyStruct(0, 0, 20);
  EXPECT_EQ(Why(small), "body.answers.answers[0].fence: missing");
}

TEST(Bombs, ListsOfNothingAreRefused) {
  Bomb bomb(kAnswers);
  bomb[0].initAsAnyList(capnp::ElementSize::VOID, kMillions);
  EXPECT_NE(Why(bomb), "");
  Bomb small(kAnswers);
  small[0].initAsAnyList(capnp::ElementSize::VOID, 10);
  EXPECT_EQ(Why(small), "body.answers.answers: a list of something else");
}

TEST(Bombs, ListsOfOtherThingsAreRefused) {
  for (const auto size : {capnp::ElementSize::BIT, capnp::ElementSize::BYTE,
                          capnp::ElementSize::TWO_BYTES, capnp::ElementSize::FOUR_BYTES,
                          capnp::ElementSize::EIGHT_BYTES, capnp::ElementSize::POINTER}) {
    Bomb bomb(kAnswers);
    bomb[0].initAsAnyList(size, 3);
    EXPECT_EQ(Why(bomb), "body.answers.answers: a list of something else");
  }
}

// Redirects pointers of a report. Their positions follow since the encoder lays out depth first.
TEST(Bombs, OneBigChangeSharedByAThousandIsRefusedByTheTraversalLimit) {
  HoldChanged big;
  for (uint32_t i = 1; i <= 16; ++i) {
    big.parts.push_back({.index = i, .nodes = std::vector<std::string>(2000, "node")});
  }
  Report report{.changes = std::vector<Change>(1000, {.what = HoldChanged{}})};
  report.changes[0].what = big;
  std::string bytes = Encode(ToMeta{.body = report});
  ASSERT_TRUE(DecodeToMeta(bytes).ok());

  const codec::Layout& envelope = Kind<ToMeta>::Layout();
  const codec::Layout& body = *envelope.slots.back().child->slots[3].child;
  const codec::Layout& change = *body.slots[1].child;
  const codec::Layout& feed = *body.slots[0].child;
  const codec::Slot& what = change.slots.back().child->slots[0];
  // Segment table, root pointer, envelope, report, its feed position, its digest, the list's tag.
  const size_t first = 1 + 1 + envelope.words() + body.words() + feed.words() + 4 + 1;
  const auto pointer_at = [&](size_t i) {
    return first + i * change.words() + change.data_words + what.offset;
  };
  uint64_t pointer;
  std::memcpy(&pointer, bytes.data() + pointer_at(0) * kWord, kWord);
  for (size_t i = 1; i < 1000; ++i) {
    const uint64_t nearer = pointer - ((pointer_at(i) - pointer_at(0)) << 2);
    std::memcpy(bytes.data() + pointer_at(i) * kWord, &nearer, kWord);
  }
  const absl::StatusOr<ToMeta> shared = DecodeToMeta(bytes);
  EXPECT_NE(Text(shared.status()).find("traversal limit"), std::string_view::npos)
      << shared.status();
}

TEST(Bombs, EmptyEntriesUpToTheBoundAreCheap) {
  Bomb bomb(kVerdict);
  const size_t entries = 4;
  bomb[entries].initAsListOfAnyStruct(0, 0, 40);
  const absl::StatusOr<ToMeta> taken = DecodeToMeta(bomb.Bytes());
  ASSERT_TRUE(taken.ok()) << taken.status();  // each entry is all zeros, which is a verdict
  EXPECT_EQ(std::get<Verdict>(taken->body).entries.size(), 40u);
}

}  // namespace
}  // namespace muster::schemas
