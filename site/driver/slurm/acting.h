// Files as an account: on a shared file system root may be squashed, and what a user can change
// must not lead the daemon to anything that is not the user's.
#pragma once

#include <sys/types.h>

#include <optional>

#include "site/driver/accounts.h"

namespace muster::driver::slurm {

// While it lives, this thread reaches files as the account does, without root's rights; other
// threads are as they were. None: the daemon's own account.
class Acting {
 public:
  explicit Acting(const std::optional<Account>& account);
  ~Acting();
  Acting(const Acting&) = delete;
  Acting& operator=(const Acting&) = delete;

 private:
  bool changed_ = false;
};

}  // namespace muster::driver::slurm
