// Changes of a request ("ways") that `explain` tries: the list, the next one to ask, and what was
// proved of each. The caller runs the searches. cli.md section 3 (explain).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/request.h"

namespace muster::meta {

// Maximum number of ways per explanation. Each is a search for the changed request's start.
inline constexpr size_t kWaysTried = 24;

struct Way {
  enum class Kind : uint8_t {
    kAsItIs,    // no change
    kShortest,  // the least duration: shows whether any shorter one helps
    kChange,
  };
  Kind kind = Kind::kChange;
  std::string text;               // "part 3 without a gpu"
  std::vector<std::string> argv;  // arguments of the muster command that makes this change
  // Ways with the same `number` reduce the same quantity, to the amount in `left`. Empty: the way
  // reduces no quantity.
  std::string number;
  int64_t left = 0;
  schemas::RequestSpec spec;  // without its payload
};

// A start that a search proved.
struct WayFound {
  std::vector<std::string> part_sites;
  Instant start;
  Instant starts_by;
  bool unpaid = false;  // its account has too little for it, so this is no way
};

class WaysTried {
 public:
  // Adds a way, unless a change to the same specification is there. Ways beyond kWaysTried are only
  // counted.
  void Add(Way way);

  // Index of the next way to ask; nullopt if there is none.
  std::optional<size_t> Next();
  const Way& at(size_t place) const { return ways_.at(place).way; }
  size_t size() const { return ways_.size(); }
  // Stores the result for this way; nullopt: nothing was proved. REQUIRES: Next() returned `place`,
  // and this is its first answer.
  void Answer(size_t place, std::optional<WayFound> found);

  size_t out() const { return out_; }  // asked and not answered
  bool Done() const { return next_ == ways_.size() && out_ == 0; }

  // Result of the way of this kind; null if nothing was proved, or it cannot be paid.
  const WayFound* FoundOf(Way::Kind kind) const;
  struct Helpful {
    const Way* way = nullptr;
    const WayFound* found = nullptr;
  };
  // Changes that can be paid and start `saves` or more before `before`, in the order in which they
  // were added. Of ways with the same number, one with less left is included only if it starts
  // `saves` or more before those with more left.
  std::vector<Helpful> ThatHelp(Instant before, Span saves) const;
  size_t unproved() const;  // changes whose search proved no start
  size_t untried() const;   // changes not asked or not answered yet, and ways only counted

 private:
  struct Tried {
    Way way;
    bool answered = false;
    std::optional<WayFound> found;
  };
  std::vector<Tried> ways_;
  size_t next_ = 0;
  size_t out_ = 0;
  size_t beyond_ = 0;
};

}  // namespace muster::meta
