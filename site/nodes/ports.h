// Rendezvous ports, chosen by the site: of parts with others at other sites from their booking, of
// those without from the start of the first of them; kept until the hold is CLOSED, so that the
// peers' lists stay right. protocol.md section 2 (report).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace muster::site {

// Ports [first, last] at one host. Value type. Ports are taken in turn, so that one just given up
// rests longest.
class Ports {
 public:
  Ports(std::string host, uint16_t first, uint16_t last)
      : host_(std::move(host)), first_(first), last_(last), next_(first) {}

  // "host:port" of a free port; none if all are taken.
  std::optional<std::string> Take();
  // One that a record names (after a restart), and one no longer needed. Others than ours change
  // nothing.
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
