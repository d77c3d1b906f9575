// Strong ids: numbers that name things and must not be mixed up. protocol.md section 1 says who
// makes each and what it is unique within.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace muster {

// A number that names one kind of thing. Zero means "none yet".
template <class Tag>
struct Id {
  uint64_t value = 0;
  auto operator<=>(const Id&) const = default;
};

using RequestId = Id<struct RequestTag>;          // what a user submits; made by the meta
using Epoch = Id<struct EpochTag>;                // one incarnation of the meta
using Incarnation = Id<struct IncarnationTag>;    // one start of a site daemon
using Revision = Id<struct LedgerRevisionTag>;    // position in a site's feed
using PlanRevision = Id<struct PlanRevisionTag>;  // changes whenever a verdict could change
using ProposalId = Id<struct ProposalTag>;        // matches verdicts to questions
using MessageNumber = Id<struct MessageTag>;      // per sender and link, for "answers-to"

// The number of one attempt to place a request; with a site it names a hold. Ordered by (epoch,
// number). Local jobs of a site use epoch 0, which no meta has.
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
