// Changes of a request that are tried for `explain`: which there are, which is asked next, and what
// was proved of each. Who asks is the caller's business. cli.md section 3 (explain).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/request.h"

namespace muster::meta {

// Questions of one explanation, each a search for the start of the request so changed.
inline constexpr size_t kWaysTried = 24;

struct Way {
  enum class Kind : uint8_t {
    kAsItIs,    // no change
    kShortest,  // the least duration: whether any shorter one helps
    kChange,
  };
  Kind kind = Kind::kChange;
  std::string text;               // "part 3 without a gpu"
  std::vector<std::string> argv;  // of muster
  // Ways of one number are alike, and less is left of it with each; empty: like no other.
  std::string number;
  int64_t left = 0;
  schemas::RequestSpec spec;  // without its payload
};

// What a search proved.
struct WayFound {
  std::vector<std::string> part_sites;
  Instant start;
  Instant starts_by;
};

class WaysTried {
 public:
  // A way like one that is there already is left out; beyond kWaysTried it is only counted.
  void Add(Way way);

  // The place of the next one to be asked.
  std::optional<size_t> Next();
  const Way& at(size_t place) const { return ways_.at(place).way; }
  size_t size() const { return ways_.size(); }
  // None: nothing was proved. REQUIRES: Next() has given it out, once.
  void Answer(size_t place, std::optional<WayFound> found);

  size_t out() const { return out_; }  // asked and not answered
  bool Done() const { return next_ == ways_.size() && out_ == 0; }

  // What was proved of the way of this kind.
  const WayFound* FoundOf(Way::Kind kind) const;
  struct Helpful {
    const Way* way = nullptr;
    const WayFound* found = nullptr;
  };
  // Changes that start `saves` or more before `before`, in the order in which they were added; of
  // those alike one with less left is there only if it saves that much more.
  std::vector<Helpful> ThatHelp(Instant before, Span saves) const;
  size_t unproved() const;  // changes that were asked, and nothing was proved
  size_t untried() const;   // changes that were not asked, or not answered yet

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
