// What is owed is not stored: it is what is left of all allocations, less the balance.
#include "meta/bank/draws.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::meta {
namespace {

using schemas::AccountRecord;
using schemas::Allocation;

// Takes up to `amount` of the allocations that have begun. Returns what was taken of each.
// `ended`: also of those that have ended.
std::vector<Allocation> Take(AccountRecord& account, int64_t amount, Instant now, bool ended) {
  std::vector<Allocation> taken;
  for (Allocation& allocation : account.allocations) {
    const int64_t part = std::min(allocation.left, amount);
    if (part <= 0 || allocation.from > now) continue;
    if (!ended && EndOf(allocation) <= now) continue;
    allocation.left -= part;
    amount -= part;
    Allocation& out = taken.emplace_back(allocation);
    out.granted = out.left = part;
  }
  std::erase_if(account.allocations, [](const Allocation& one) { return one.left == 0; });
  return taken;
}

}  // namespace

Instant EndOf(const Allocation& allocation) { return allocation.until.value_or(kFarFuture); }

int64_t LeftAt(const AccountRecord& account, Instant now) {
  int64_t sum = 0;
  for (const Allocation& one : account.allocations) sum += one.from <= now ? one.left : 0;
  return sum;
}

int64_t Owed(const AccountRecord& account) {
  int64_t left = 0;
  for (const Allocation& one : account.allocations) left += one.left;
  return left - account.balance;
}

void Grant(AccountRecord& account, Allocation allocation) {
  const auto order = [](const Allocation& one) {
    return std::tuple(EndOf(one), one.from, one.entry);
  };
  const auto at =
      std::find_if(account.allocations.begin(), account.allocations.end(),
                   [&](const Allocation& one) { return order(allocation) < order(one); });
  account.balance += allocation.left;
  account.allocations.insert(at, std::move(allocation));
}

std::vector<Allocation> Draw(AccountRecord& account, int64_t amount, Instant now) {
  account.balance -= amount;
  return Take(account, amount, now, true);
}

int64_t ValidAt(const AccountRecord& account, Instant now) {
  int64_t sum = 0;
  for (const Allocation& one : account.allocations) {
    sum += one.from <= now && now < EndOf(one) ? one.left : 0;
  }
  return sum;
}

std::vector<Allocation> DrawValid(AccountRecord& account, int64_t amount, Instant now) {
  account.balance -= amount;
  return Take(account, amount, now, false);
}

void Repay(AccountRecord& account, Instant now) { Take(account, Owed(account), now, true); }

}  // namespace muster::meta
