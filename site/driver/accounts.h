// Maps users to the local accounts that run their parts. protocol.md section 3.3: a daemon that is
// not root runs parts only as its own user.
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
  // User -> local account; "*" means every user who is not named. Values: an account name, "" for
  // the daemon's own account, or "deny". Empty map: all parts run as the daemon.
  explicit Accounts(std::map<std::string, std::string> mapping) : mapping_(std::move(mapping)) {}

  // The user's account; none: the daemon's own. Errors: the user is denied, the account is unknown,
  // or only root could switch to it.
  absl::StatusOr<std::optional<Account>> Of(const std::string& user);

  // Facts::accounts: whom the mapping denies, and whose account does not exist now.
  std::map<std::string, std::string> WhoHasNone();

 private:
  absl::StatusOr<std::optional<Account>> LookUp(const std::string& user,
                                                const std::string& name) const;

  std::map<std::string, std::string> mapping_;
  // A look-up may go over the network, so results are cached for a while.
  struct Known {
    std::optional<Account> account;
    int64_t looked_up_s = 0;
  };
  std::map<std::string, Known> known_;  // by account name
};

}  // namespace muster::driver
