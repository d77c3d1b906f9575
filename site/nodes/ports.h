// Rendezvous ports, chosen by the site. Co-allocated parts get theirs when they are booked, others
// at the first start of a part. They are kept until the hold is CLOSED, so that the peers' lists
// stay valid. protocol.md section 2 (report).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace muster::site {

// Ports [first, last] of one host. Value type. Ports are taken in turn, so that a port just given
// back is reused last.
class Ports {
 public:
  Ports(std::string host, uint16_t first, uint16_t last)
      : host_(std::move(host)), first_(first), last_(last), next_(first) {}

  // "host:port" of a free port; none if all are taken.
  std::optional<std::string> Take();
  // After a restart Keep marks as taken a port that a record names. GiveBack frees a port. Both
  // ignore ports of other hosts or ranges.
  void Keep(const std::string& rendezvous);
  void GiveBack(const std::string& rendezvous);

 private:
  std::optional<uint16_t> PortOf(const std::string& rendezvous) const;

  std::string host_;
  uint32_t first_;
  uint32_t last_;
  uint32_t next_;
  std::set<uint16_t> taken_;
};

}  // namespace muster::site
