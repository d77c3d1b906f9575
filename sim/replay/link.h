// A one-way link between two daemons: messages take time and arrive in order.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "sim/replay/replay_times.h"

namespace muster::sim {

template <class Message>
class Link {
 public:
  void Send(BootInstant now, const LinkDelays& delays, Random& random, Message message) {
    const BootSpan takes{random.Between(delays.least.milliseconds, delays.most.milliseconds)};
    last_ = std::max(last_, now + takes);
    under_way_.push_back({last_, std::move(message)});
  }
  // When the next message arrives; none if none is in transit.
  std::optional<BootInstant> Next() const {
    if (under_way_.empty()) return std::nullopt;
    return under_way_.front().first;
  }
  // Removes and returns the messages that have arrived by `now`.
  std::vector<Message> Arrived(BootInstant now) {
    std::vector<Message> out;
    for (; !under_way_.empty() && under_way_.front().first <= now; under_way_.pop_front()) {
      out.push_back(std::move(under_way_.front().second));
    }
    return out;
  }

 private:
  BootInstant last_;  // arrival of the newest message
  std::deque<std::pair<BootInstant, Message>> under_way_;
};

}  // namespace muster::sim
