// What the points of each open request depend on, side by side, so that a tick goes through all of
// them without a look at their records. scheduling.md section 11.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace muster::meta {

// Invariant: facts ascend by id, each id once. Derived from records; in memory only.
class Askers {
 public:
  // Under what somebody asks: user, queue, account, QoS.
  using Name = std::array<std::string, 4>;

  struct Facts {
    RequestId id;
    // Its record may have changed since it was read, or the facts depend on others' records.
    bool stale = true;
    bool ranked = false;          // it has points
    std::optional<Moment> since;  // could be placed since then; none: it may not be
    Span waited;                  // before that
    Span duration;
    int64_t fixed = 0;  // points of what neither time nor its name changes
    size_t name = 0;    // of Askers::names
    int64_t points = 0;
  };
  // What a name gives; worked out once a pass.
  struct Given {
    Name name;
    std::optional<int64_t> points;  // not worked out yet
  };

  // Forgets all: what points depend on has changed for all.
  void Clear() { *this = Askers(); }
  // Begins a pass over these requests: those that are not known yet are stale, and what names give
  // is worked out anew.
  void Begin(const std::set<RequestId>& open);
  // The records of these may have changed.
  void NoteChanged(const std::set<RequestId>& requests);

  // The facts of a request, stale; new ones if there are none.
  Facts& Stale(RequestId id);
  // The first one behind this id; facts().size() if there is none.
  size_t Behind(RequestId id) const;
  Facts& At(size_t i) { return facts_[i]; }
  size_t size() const { return facts_.size(); }

  size_t NumberOf(const Name& name);
  Given& GivenTo(size_t name) { return given_[name]; }

 private:
  std::vector<Facts> facts_;
  std::vector<Given> given_;
  std::map<Name, size_t> names_;
};

}  // namespace muster::meta
