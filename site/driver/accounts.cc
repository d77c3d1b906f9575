// Looks accounts up in the password database of the C library. An account that was found is not
// looked up again for kKeepSeconds.
#include "site/driver/accounts.h"

#include <grp.h>
#include <pwd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace muster::driver {
namespace {

constexpr int64_t kKeepSeconds = 600;  // a changed group membership takes effect within this time
constexpr int kGroupsMost = 65536;     // the kernel's own limit

int64_t SecondsNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

}  // namespace

absl::StatusOr<std::optional<Account>> Accounts::Of(const std::string& user) {
  if (mapping_.empty()) return std::optional<Account>();
  auto entry = mapping_.find(user);
  if (entry == mapping_.end()) entry = mapping_.find("*");
  if (entry == mapping_.end() || entry->second == "deny") {
    return NotFound("user '" + user + "' has no account at this site");
  }
  if (entry->second.empty()) return std::optional<Account>();
  const int64_t now = SecondsNow();
  if (const auto known = known_.find(entry->second);
      known != known_.end() && now - known->second.looked_up_s < kKeepSeconds) {
    return known->second.account;
  }
  MUSTER_ASSIGN_OR_RETURN(std::optional<Account> account, LookUp(user, entry->second));
  known_[entry->second] = {account, now};
  return account;
}

std::map<std::string, std::string> Accounts::WhoHasNone() {
  std::map<std::string, std::string> out;
  for (const auto& [user, name] : mapping_) {
    const auto account = Of(user);
    out[user] = account.ok()     ? ""
                : name == "deny" ? "[federation] users of this site denies it"
                                 : std::string(Text(account.status()));
  }
  if (!out.empty()) out.try_emplace("*", "[federation] users of this site does not name it");
  return out;
}

absl::StatusOr<std::optional<Account>> Accounts::LookUp(const std::string& user,
                                                        const std::string& name) const {
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  const int error = getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (error != 0 || found == nullptr) {
    return NotFound("user '" + user + "' is mapped to account '" + name +
                    "': " + (error != 0 ? std::strerror(error) : "there is no such account"));
  }
  if (entry.pw_uid == geteuid()) return std::optional<Account>();
  if (geteuid() != 0) {
    return InvalidArgument("user '" + user + "' is mapped to account '" + name +
                           "': a daemon that is not root runs parts as its own user only");
  }
  Account account{.name = name,
                  .uid = entry.pw_uid,
                  .gid = entry.pw_gid,
                  .home = entry.pw_dir,
                  .shell = entry.pw_shell};
  int count = 64;
  account.groups.resize(count);
  while (getgrouplist(name.c_str(), account.gid, account.groups.data(), &count) < 0) {
    if (count > kGroupsMost) return Internal("account '" + name + "' has too many groups");
    account.groups.resize(count);
  }
  account.groups.resize(count);
  return std::optional<Account>(std::move(account));
}

}  // namespace muster::driver
