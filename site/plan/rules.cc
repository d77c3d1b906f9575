// The vectors in which rules count, copied on write.
#include "site/plan/rules.h"

#include <algorithm>
#include <set>

namespace muster::plan {

const rusv::Rusv& Accounts::Of(const Account& account) const {
  std::shared_ptr<rusv::Rusv>& open = open_[account];
  if (open == nullptr) {
    open = std::make_shared<rusv::Rusv>(rules_->Empty(account));
    open->ForgetBefore(forgotten_);
  }
  return *open;
}

rusv::Rusv& Accounts::Mutable(const Account& account) {
  Of(account);
  std::shared_ptr<rusv::Rusv>& open = open_.at(account);
  if (open.use_count() > 1) open = std::make_shared<rusv::Rusv>(*open);
  return *open;
}

std::vector<std::string> Accounts::Consumers() const {
  std::set<std::string> out;
  for (const auto& [account, used] : open_) out.insert(account.consumer);
  return {out.begin(), out.end()};
}

void Accounts::Add(const Account& account, const rusv::Slot& slot) {
  Mutable(account).Increment({std::max(slot.start, forgotten_), slot.stop, slot.items});
}

void Accounts::Remove(const Account& account, const rusv::Slot& slot) {
  Mutable(account).Decrement({std::max(slot.start, forgotten_), slot.stop, slot.items});
}

void Accounts::ForgetBefore(Instant t) {
  if (t <= forgotten_) return;
  forgotten_ = t;
  for (const auto& [account, open] : open_) Mutable(account).ForgetBefore(t);
}

bool Accounts::operator==(const Accounts& other) const {
  const auto same = [](const Accounts& a, const Accounts& b) {
    return std::all_of(a.open_.begin(), a.open_.end(),
                       [&b](const auto& entry) { return *entry.second == b.Of(entry.first); });
  };
  return same(*this, other) && same(other, *this);
}

}  // namespace muster::plan
