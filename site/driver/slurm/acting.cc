// The kernel keeps the identity for files of each thread apart, and drops root's rights over files
// with it. Supplementary groups stay the daemon's: a part's folder is its owner's alone.
#include "site/driver/slurm/acting.h"

#include <sys/fsuid.h>
#include <unistd.h>

namespace muster::driver::slurm {

Acting::Acting(const std::optional<Account>& account) {
  if (!account || geteuid() != 0 || account->uid == 0) return;
  changed_ = true;
  setfsgid(account->gid);
  setfsuid(account->uid);
}

Acting::~Acting() {
  if (!changed_) return;
  setfsuid(0);
  setfsgid(getegid());
}

}  // namespace muster::driver::slurm
