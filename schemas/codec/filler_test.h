// Fills any struct of schemas/ with seeded random values that keep the rules of common.capnp, so
// that every field of every type takes part in the codec's tests.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "base/random.h"
#include "schemas/codec/layout.h"
#include "schemas/codec/shape.h"
#include "schemas/site_link.h"

namespace muster::schemas::codec {

// Values differ from each other and from defaults; lists have 0 to `width` elements. The layout
// names the bounds.
class Filler {
 public:
  Filler(uint64_t seed, uint64_t width) : random_(seed), width_(width) {}

  template <class T>
  void FillRoot(T& out, const Layout& layout) {
    if constexpr (kIsVariant<T>) {
      FillUnion(out, layout);
    } else {
      FillFields(out, layout);
    }
  }

 private:
  template <class T>
  void FillFields(T& out, const Layout& layout) {
    const Slot* slot = layout.slots.data();
    Shape<T>::Each(out, [&](const char*, auto& member) { Fill(member, *slot++); });
    Mend(out);
  }

  // Corrects values where a rule concerns several fields at once.
  template <class T>
  void Mend(T&) {}
  void Mend(Moved& moved) { MendCause(moved.cause); }
  void Mend(HoldChanged& change) { MendCause(change.cause); }
  void MendCause(Cause& cause) {
    if (cause.code == CauseCode::kNone) cause.code = CauseCode::kClock;
  }

  template <class V>
  void FillUnion(V& out, const Layout& layout) {
    const size_t index = random_.Below(layout.slots.size());
    FillAlternative(out, layout.slots[index], index,
                    std::make_index_sequence<std::variant_size_v<V>>());
  }
  template <class V, size_t... kIndex>
  void FillAlternative(V& out, const Slot& slot, size_t index, std::index_sequence<kIndex...>) {
    ((kIndex == index && (Fill(out.template emplace<kIndex>(), slot), true)) || ...);
  }

  std::string Text(uint64_t most) {
    std::string out;
    for (uint64_t left = random_.Below(std::min<uint64_t>(most, 20) + 1); left > 0; --left) {
      out += random_.Chance(50) ? '\0' : static_cast<char>(random_.Between(-128, 127));
    }
    return out;
  }
  size_t Count(const Slot& slot) {
    return random_.Below(std::min<uint64_t>(slot.at_most, width_) + 1);
  }

  template <class T>
  T ScalarValue(const Slot& slot) {
    if constexpr (std::is_same_v<T, bool>) {
      return random_.Chance(500);
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(random_.Below(slot.enumerants));
    } else if constexpr (std::is_same_v<T, double>) {
      return static_cast<double>(random_.Between(-1'000'000, 1'000'000)) / 7;
    } else if constexpr (requires { TimeBound<T>(); }) {
      return Scalar<T>::FromRaw(random_.Between(-TimeBound<T>(), TimeBound<T>()));
    } else if constexpr (std::is_unsigned_v<T>) {
      if (slot.at_most < std::numeric_limits<T>::max())
        return static_cast<T>(random_.Below(slot.at_most + 1));
      return static_cast<T>(random_.Next());
    } else {
      return Scalar<T>::FromRaw(static_cast<typename Scalar<T>::Raw>(random_.Next()));
    }
  }
  template <class T>
  static constexpr int64_t TimeBound()
    requires(std::is_same_v<T, Instant> || std::is_same_v<T, Span>)
  {
    return kSecondsBound;
  }
  template <class T>
  static constexpr int64_t TimeBound()
    requires(std::is_same_v<T, Moment> || std::is_same_v<T, BootSpan> ||
             std::is_same_v<T, BootInstant>)
  {
    return kMillisecondsBound;
  }

  void FillSet(ResourceSet& out, const Slot& slot) {
    for (size_t left = Count(slot); left > 0; --left)
      out.Set(Text(255), random_.Between(1, int64_t{1} << 53));
  }
  void FillSet(IntervalSet& out, const Slot& slot) {
    std::vector<Interval> intervals;
    for (size_t left = Count(slot); left > 0; --left) {
      const Instant begin{random_.Between(-kSecondsBound, kSecondsBound - 1)};
      intervals.push_back({begin, {random_.Between(begin.seconds + 1, kSecondsBound)}});
    }
    out = IntervalSet(std::move(intervals));
  }
  void FillSet(TextMap& out, const Slot& slot) {
    for (size_t left = Count(slot); left > 0; --left) out[Text(255)] = Text(255);
  }

  template <class E>
  void FillVector(std::vector<E>& out, const Slot& slot) {
    for (size_t left = Count(slot); left > 0; --left) {
      if constexpr (IsScalar<E>) {
        out.push_back(ScalarValue<E>(slot.enumerants > 0 ? slot : Slot()));
      } else if constexpr (kIsText<E>) {
        out.push_back(Text(255));
      } else {
        FillFields(out.emplace_back(), *slot.child);
      }
    }
  }

  template <class E>
  void FillOptional(std::optional<E>& out, const Slot& slot) {
    if (random_.Chance(300)) return;
    if constexpr (IsScalar<E>) {
      out = ScalarValue<E>(slot.child->slots.front());
    } else {
      Fill(out.emplace(), slot);
    }
  }

  template <class T>
  void Fill(T& out, const Slot& slot) {
    if constexpr (IsScalar<T>) {
      out = ScalarValue<T>(slot);
    } else if constexpr (kIsText<T>) {
      out = Text(slot.at_most);
    } else if constexpr (kIsBytes32<T>) {
      for (uint8_t& byte : out.bytes) byte = static_cast<uint8_t>(random_.Next());
    } else if constexpr (kIsVector<T>) {
      FillVector(out, slot);
    } else if constexpr (IsShapeList<T>) {
      FillSet(out, slot);
    } else if constexpr (IsShape<T>) {
      FillFields(out, *slot.child);
    } else if constexpr (kIsOptional<T>) {
      FillOptional(out, slot);
    } else {
      FillUnion(out, *slot.child);
    }
  }

  Random random_;
  uint64_t width_;
};

}  // namespace muster::schemas::codec
