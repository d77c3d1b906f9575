// The simulated network: carries bytes between named hosts with delay, loss, duplication and
// reordering, all drawn from one seed. Callers cut and restore links. Does not look into messages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/time.h"

namespace muster::sim {

// Faults of the network. Chances are per 1,000 messages.
struct NetworkFaults {
  BootSpan delay_low = Milliseconds(1);
  // delays are drawn per message: a wide range reorders messages
  BootSpan delay_high = Milliseconds(1);
  uint32_t loss = 0;
  uint32_t duplication = 0;
};

// A message in transit. `order` breaks ties of equal arrival.
struct Packet {
  BootInstant arrives;
  uint64_t order = 0;
  std::string from;
  std::string to;
  std::string link;  // the connection it travels on
  std::string bytes;
  auto operator<=>(const Packet&) const = default;
};

class Network {
 public:
  Network(NetworkFaults faults, uint64_t seed) : faults_(faults), random_(seed) {}

  void SetFaults(const NetworkFaults& faults) { faults_ = faults; }
  // Cuts / restores the link between two hosts, in both directions.
  void Cut(const std::string& a, const std::string& b);
  void Heal(const std::string& a, const std::string& b);
  void HealAll() { cuts_.clear(); }

  // Sends a message: it may be lost, or delivered twice.
  void Send(BootInstant now, const std::string& from, const std::string& to,
            const std::string& link, std::string bytes);
  // Number of messages lost so far, by chance or by a cut.
  uint64_t lost() const { return lost_; }
  // When the next packet arrives; none if no packet is in transit.
  std::optional<BootInstant> NextArrival() const;
  // Removes and returns the packets that arrived by `now`, in order of arrival. Packets on a link
  // that is cut now are lost.
  std::vector<Packet> Arrived(BootInstant now);

 private:
  static std::pair<std::string, std::string> Pair(const std::string& a, const std::string& b);

  NetworkFaults faults_;
  Random random_;
  uint64_t sent_ = 0;
  uint64_t lost_ = 0;
  std::set<std::pair<std::string, std::string>> cuts_;
  std::set<Packet> under_way_;
};

}  // namespace muster::sim
