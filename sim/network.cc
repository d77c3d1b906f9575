// Packets are kept in a set ordered by arrival. One random generator makes all draws, so a seed
// determines the network.
#include "sim/network.h"

#include <algorithm>

namespace muster::sim {

std::pair<std::string, std::string> Network::Pair(const std::string& a, const std::string& b) {
  return {std::min(a, b), std::max(a, b)};
}

void Network::Cut(const std::string& a, const std::string& b) { cuts_.insert(Pair(a, b)); }

void Network::Heal(const std::string& a, const std::string& b) { cuts_.erase(Pair(a, b)); }

void Network::Send(BootInstant now, const std::string& from, const std::string& to,
                   const std::string& link, std::string bytes) {
  if (cuts_.count(Pair(from, to)) > 0) return void(++lost_);
  int copies = random_.Chance(faults_.loss) ? 0 : 1;
  if (random_.Chance(faults_.duplication)) ++copies;
  if (copies == 0) ++lost_;
  for (; copies > 0; --copies) {
    const int64_t delay =
        random_.Between(faults_.delay_low.milliseconds, faults_.delay_high.milliseconds);
    under_way_.insert(Packet{now + Milliseconds(delay), ++sent_, from, to, link,
                             copies > 1 ? bytes : std::move(bytes)});
  }
}

std::optional<BootInstant> Network::NextArrival() const {
  if (under_way_.empty()) return std::nullopt;
  return under_way_.begin()->arrives;
}

std::vector<Packet> Network::Arrived(BootInstant now) {
  std::vector<Packet> out;
  while (!under_way_.empty() && under_way_.begin()->arrives <= now) {
    Packet packet = std::move(under_way_.extract(under_way_.begin()).value());
    if (cuts_.count(Pair(packet.from, packet.to)) == 0) {
      out.push_back(std::move(packet));
    } else {
      ++lost_;
    }
  }
  return out;
}

}  // namespace muster::sim
