// One [[user]] of meta.toml or site.toml.
#pragma once

#include <string>
#include <vector>

namespace muster::config {

struct ListedUser {
  std::string name;
  std::string key;  // public
  bool is_operator = false;
  std::vector<std::string> groups;
  std::string home;  // meta.toml only: a listed site; empty: none
};

}  // namespace muster::config
