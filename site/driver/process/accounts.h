// Which local account a user's parts run as. protocol.md section 3.3: a daemon that is not root
// runs parts as its own user only.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace muster::driver {

struct Account {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary
  std::string home;
  std::string shell;
};

class Accounts {
 public:
  // User -> local account; "*" stands for everybody who is not named. Values: a name, "" for the
  // daemon's own account, "deny". An empty map: everybody runs as the daemon.
  explicit Accounts(std::map<std::string, std::string> mapping) : mapping_(std::move(mapping)) {}

  // Nothing: the daemon's own account. Errors: nobody may run here as this user, an unknown
  // account, or one that only root could become.
  absl::StatusOr<std::optional<Account>> Of(const std::string& user);

 private:
  absl::StatusOr<std::optional<Account>> LookUp(const std::string& user,
                                                const std::string& name) const;

  std::map<std::string, std::string> mapping_;
  // Looking up may ask the network; found ones are kept for a while.
  struct Known {
    std::optional<Account> account;
    int64_t looked_up_s = 0;
  };
  std::map<std::string, Known> known_;  // by account name
};

}  // namespace muster::driver
