// Strong ids: numeric names that the compiler keeps apart. protocol.md section 1 says who assigns
// each and within what it is unique.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace muster {

// A number that identifies one kind of thing. Zero means "none yet".
template <class Tag>
struct Id {
  uint64_t value = 0;
  auto operator<=>(const Id&) const = default;
};

using Epoch = Id<struct EpochTag>;                // one incarnation of the meta
using Incarnation = Id<struct IncarnationTag>;    // one start of a site daemon
using Revision = Id<struct LedgerRevisionTag>;    // position in a site's feed
using PlanRevision = Id<struct PlanRevisionTag>;  // changes whenever a verdict could change
using ProposalId = Id<struct ProposalTag>;        // matches a verdict to its proposal
using MessageNumber = Id<struct MessageTag>;      // per sender and link; a reply repeats it

// A request: a job, or one element of an array of jobs. The meta assigns the number. An element's
// id contains the number of its job and sorts after the job.
template <>
struct Id<struct RequestTag> {
  uint64_t value = 0;  // low 40 bits: job number; above: element's index + 1, or 0 for a job

  static constexpr uint64_t kJobs = uint64_t{1} << 40;
  constexpr uint64_t job() const { return value % kJobs; }
  constexpr bool is_element() const { return value >= kJobs; }
  constexpr uint64_t index() const { return value / kJobs - 1; }  // REQUIRES: is_element()
  constexpr Id array() const { return {value % kJobs}; }          // the job an element belongs to
  constexpr Id element(uint64_t index) const { return {job() + (index + 1) * kJobs}; }

  constexpr bool operator==(const Id&) const = default;
  constexpr std::strong_ordering operator<=>(const Id& other) const {
    if (const auto order = job() <=> other.job(); order != 0) return order;
    return value <=> other.value;
  }
};
using RequestId = Id<struct RequestTag>;

// The form shown to users: "43", "43[7]".
inline std::string ToText(RequestId id) {
  std::string out = std::to_string(id.job());
  if (id.is_element()) out += "[" + std::to_string(id.index()) + "]";
  return out;
}

// Identifies one attempt to place a request; site and fence together identify a hold. Ordered by
// (epoch, number). Local jobs of a site use epoch 0, which no meta has.
struct Fence {
  Epoch epoch;
  uint64_t number = 0;
  auto operator<=>(const Fence&) const = default;
};

// Text for logs and tests: "3.17" is the 17th attempt of epoch 3.
inline std::string ToText(const Fence& fence) {
  return std::to_string(fence.epoch.value) + "." + std::to_string(fence.number);
}

}  // namespace muster

template <class Tag>
struct std::hash<muster::Id<Tag>> {
  size_t operator()(const muster::Id<Tag>& id) const noexcept {
    return std::hash<uint64_t>()(id.value);
  }
};
