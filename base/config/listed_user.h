// One [[user]] of meta.toml or site.toml.
#pragma once

#include <string>
#include <vector>

namespace muster::config {

struct ListedUser {
  std::string name;
  std::string key;  // public key
  bool is_operator = false;
  std::vector<std::string> groups;
  std::string home;  // meta.toml only: the user's home site, one of the listed; empty: none
};

}  // namespace muster::config
