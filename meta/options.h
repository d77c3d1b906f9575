// What the meta's core is told once, at start: the federation's sites, users and limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "schemas/limits.h"
#include "schemas/site_link.h"

namespace muster::meta {

struct User {
  std::string name;
  bool is_operator = false;
  std::vector<std::string> groups;
  std::string home;  // preferred site where all else is equal; may be empty
};

struct Options {
  std::string federation;
  std::vector<std::string> sites;  // only these are heard
  std::vector<User> users;
  std::vector<std::string> queues = {"normal"};  // highest first
  schemas::ProtocolValues values;
  size_t open_requests_per_user = schemas::kOpenRequestsPerUser;
  size_t wave_max = 64;   // requests proposed at once to every eligible site
  size_t meet_tries = 3;  // at the best slot, then 4 with doubling slack (scheduling.md section 4)
  uint64_t seed = 1;      // back-off
};

}  // namespace muster::meta
