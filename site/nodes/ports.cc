// See ports.h.
#include "site/nodes/ports.h"

#include <charconv>

namespace muster::site {

std::optional<std::string> Ports::Take() {
  if (first_ > last_ || taken_.size() > last_ - first_) return std::nullopt;
  while (taken_.contains(static_cast<uint16_t>(next_))) next_ = next_ == last_ ? first_ : next_ + 1;
  const auto port = static_cast<uint16_t>(next_);
  taken_.insert(port);
  next_ = next_ == last_ ? first_ : next_ + 1;
  return host_ + ":" + std::to_string(port);
}

void Ports::Keep(const std::string& rendezvous) {
  if (const auto port = PortOf(rendezvous)) taken_.insert(*port);
}

void Ports::GiveBack(const std::string& rendezvous) {
  if (const auto port = PortOf(rendezvous)) taken_.erase(*port);
}

std::optional<uint16_t> Ports::PortOf(const std::string& rendezvous) const {
  const std::string prefix = host_ + ":";
  if (!rendezvous.starts_with(prefix)) return std::nullopt;
  uint16_t port = 0;
  const char* end = rendezvous.data() + rendezvous.size();
  const auto parsed = std::from_chars(rendezvous.data() + prefix.size(), end, port);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  if (port < first_ || port > last_) return std::nullopt;
  return port;
}

}  // namespace muster::site
