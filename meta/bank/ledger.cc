// Accounts of sites and the bank's own have a balance and no allocations.
#include "meta/bank/ledger.h"

#include <absl/status/status.h>

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "meta/bank/draws.h"
#include "meta/turn/keys.h"
#include "policy/rates.h"

namespace muster::meta {
namespace {

using schemas::AccountRecord;
using schemas::Allocation;
using schemas::EntryKind;
using schemas::EntryRecord;
using schemas::Posting;

absl::Status CheckAmount(int64_t amount) {
  if (amount > 0 && amount <= policy::kMostCredits) return absl::OkStatus();
  return absl::InvalidArgumentError(amount <= 0 ? "the amount must be more than 0"
                                                : "the amount is more than an account may have");
}

absl::Status TooLittle(const std::string& account, int64_t amount, int64_t may) {
  return absl::InvalidArgumentError(account + " has " + CreditsText(std::max<int64_t>(may, 0)) +
                                    " to give, not " + CreditsText(amount));
}

}  // namespace

std::string SiteAccount(const std::string& site) { return "site:" + site; }

void Ledger::Restore(AccountRecord record) {
  const std::string name = record.name;
  due_at_ = Instant{0};  // Advance finds out
  accounts_.Restore(name, std::move(record));
}

void Ledger::Restore(EntryRecord record) {
  keys_[record.key] = record.number;
  const uint64_t number = record.number;
  entries_.Restore(number, std::move(record));
}

int64_t Ledger::SetAside(const std::string& account) const {
  const auto it = set_aside_.find(account);
  return it == set_aside_.end() ? 0 : it->second;
}

int64_t Ledger::Of(const Claim& claim, const std::string& account) {
  return std::max(claim.account == account ? claim.lien : 0,
                  claim.wants_of == account ? claim.wanted : 0);
}

std::map<RequestId, int64_t> Ledger::LiensOf(const std::string& account) const {
  std::map<RequestId, int64_t> out;
  const auto of = claimants_.find(account);
  if (of == claimants_.end()) return out;
  for (const RequestId id : of->second) {
    const Claim& claim = claims_.at(id);
    if (claim.account == account && claim.lien > 0) out[id] = claim.lien;
  }
  return out;
}

int64_t Ledger::Free(const std::string& account, Instant now, RequestId apart) const {
  const AccountRecord* record = accounts_.Find(account);
  int64_t set_aside = SetAside(account);
  if (const auto own = claims_.find(apart); own != claims_.end()) {
    set_aside -= Of(own->second, account);
  }
  return record ? LeftAt(*record, now) - Owed(*record) - set_aside : -set_aside;
}

std::optional<Instant> Ledger::NextBegin(const std::string& account, Instant now) const {
  std::optional<Instant> out;
  const AccountRecord* record = accounts_.Find(account);
  if (!record) return out;
  for (const Allocation& one : record->allocations) {
    if (one.from > now && (!out || one.from < *out)) out = one.from;
  }
  return out;
}

void Ledger::Change(RequestId request, const Claim& next) {
  Claim before;
  if (const auto it = claims_.find(request); it != claims_.end()) before = it->second;
  const std::set<std::string> accounts{before.account, before.wants_of, next.account,
                                       next.wants_of};
  for (const std::string& account : accounts) {
    if (account.empty()) continue;
    const int64_t more = Of(next, account) - Of(before, account);
    set_aside_[account] += more;
    if (more < 0) eased_.insert(account);
    if (ended_.contains(account)) due_at_ = Instant{0};
    if (account == next.account || account == next.wants_of) {
      claimants_[account].insert(request);
    } else {
      claimants_[account].erase(request);
    }
  }
  if (next.account.empty() && next.wants_of.empty()) {
    claims_.erase(request);
  } else {
    claims_[request] = next;
  }
}

void Ledger::SetLien(RequestId request, const schemas::Lien* lien) {
  Claim next;
  if (const auto it = claims_.find(request); it != claims_.end()) next = it->second;
  const int64_t open = lien ? lien->Open() : 0;
  next.account = open > 0 ? lien->account : "";
  next.lien = open;
  next.taken = open > 0 ? lien->taken : Moment{0};
  Change(request, next);
}

void Ledger::Want(RequestId request, const std::string& account, int64_t wanted, Moment now) {
  Claim next;
  if (const auto it = claims_.find(request); it != claims_.end()) next = it->second;
  const bool was_wanted = next.wants_of == account && wanted <= next.wanted;
  if (!was_wanted) next.wanted_since = now;
  next.wants_of = wanted > 0 ? account : "";
  next.wanted = std::max<int64_t>(wanted, 0);
  Change(request, next);
}

void Ledger::Unwant(RequestId request) {
  if (claims_.contains(request)) Want(request, "", 0, Moment{0});
}

std::optional<Moment> Ledger::WantedSince(RequestId request) const {
  const auto claim = claims_.find(request);
  if (claim == claims_.end() || claim->second.wanted == 0) return std::nullopt;
  return claim->second.wanted_since;
}

AccountRecord& Ledger::Edit(const std::string& account) {
  AccountRecord& record = accounts_.Edit(account);
  record.name = account;
  return record;
}

uint64_t Ledger::Post(const Order& order, EntryKind kind, std::vector<Posting> postings,
                      std::optional<RequestId> job) {
  const uint64_t number = entries_.empty() ? 1 : entries_.all().rbegin()->first + 1;
  EntryRecord& entry = entries_.Edit(number);
  entry = {.number = number,
           .at = order.at,
           .key = order.key,
           .kind = kind,
           .postings = std::move(postings),
           .by = order.by,
           .job = job,
           .note = order.note};
  keys_[order.key] = number;
  while (entries_.size() > kEntriesKept) {
    const EntryRecord& oldest = entries_.all().begin()->second;
    keys_.erase(oldest.key);
    entries_.Erase(oldest.number);
  }
  return number;
}

absl::StatusOr<std::optional<uint64_t>> Ledger::Posted(const Order& order, EntryKind kind,
                                                       const std::vector<Posting>& postings) {
  const auto it = keys_.find(order.key);
  if (it == keys_.end()) return std::nullopt;
  const EntryRecord& entry = *entries_.Find(it->second);
  if (entry.kind == kind && entry.postings == postings) return entry.number;
  return absl::InvalidArgumentError("entry " + std::to_string(entry.number) +
                                    " has this key and posted something else");
}

absl::StatusOr<uint64_t> Ledger::Deposit(const Order& order, const std::string& account,
                                         int64_t amount, Instant from,
                                         std::optional<Instant> until) {
  MUSTER_RETURN_IF_ERROR(CheckAmount(amount));
  std::vector<Posting> postings{{account, amount}, {kBankAccount, -amount}};
  MUSTER_ASSIGN_OR_RETURN(const std::optional<uint64_t> before,
                          Posted(order, EntryKind::kDeposit, postings));
  if (before) return *before;
  if (until && *until <= std::max(from, order.at.Floor())) {
    return absl::InvalidArgumentError("it would end before it can be used");
  }
  AccountRecord& record = Edit(account);
  if (record.balance > policy::kMostCredits - amount) {
    return absl::InvalidArgumentError("the account would have more than an account may have");
  }
  Edit(kBankAccount).balance -= amount;
  const uint64_t number = Post(order, EntryKind::kDeposit, std::move(postings));
  Grant(record, {number, from, until, amount, amount});
  Repay(record, order.at.Floor());
  eased_.insert(account);
  due_at_ = Instant{0};
  return number;
}

absl::StatusOr<uint64_t> Ledger::Transfer(const Order& order, const std::string& from,
                                          const std::string& to, int64_t amount, int64_t least) {
  MUSTER_RETURN_IF_ERROR(CheckAmount(amount));
  if (from == to) return absl::InvalidArgumentError("both are the same account");
  std::vector<Posting> postings{{from, -amount}, {to, amount}};
  MUSTER_ASSIGN_OR_RETURN(const std::optional<uint64_t> before,
                          Posted(order, EntryKind::kTransfer, postings));
  if (before) return *before;
  const Instant now = order.at.Floor();
  // Only what an allocation has can be handed on, with its end.
  const AccountRecord* giver = accounts_.Find(from);
  const int64_t may =
      std::min(Free(from, now) - least, giver ? ValidAt(*giver, now) - Owed(*giver) : 0);
  if (amount > may) return TooLittle(from, amount, may);
  AccountRecord& taker = Edit(to);
  if (taker.balance > policy::kMostCredits - amount) {
    return absl::InvalidArgumentError("the account would have more than an account may have");
  }
  const uint64_t number = Post(order, EntryKind::kTransfer, std::move(postings));
  for (Allocation& part : DrawValid(Edit(from), amount, now)) {
    part.entry = number;
    Grant(taker, std::move(part));
  }
  Repay(taker, now);
  eased_.insert(to);
  due_at_ = Instant{0};
  return number;
}

absl::StatusOr<uint64_t> Ledger::Adjust(const Order& order, const std::string& account,
                                        int64_t amount, int64_t least) {
  if (amount == 0) return absl::InvalidArgumentError("nothing to adjust");
  if (amount > 0) {
    // What is added has no end.
    MUSTER_RETURN_IF_ERROR(CheckAmount(amount));
  } else if (amount < -policy::kMostCredits) {
    return absl::InvalidArgumentError("the amount is more than an account may have");
  }
  std::vector<Posting> postings{{account, amount}, {kBankAccount, -amount}};
  MUSTER_ASSIGN_OR_RETURN(const std::optional<uint64_t> before,
                          Posted(order, EntryKind::kAdjust, postings));
  if (before) return *before;
  const Instant now = order.at.Floor();
  const int64_t may = Free(account, now) - least;
  if (amount < 0 && -amount > may) return TooLittle(account, -amount, may);
  AccountRecord& record = Edit(account);
  if (amount > 0 && record.balance > policy::kMostCredits - amount) {
    return absl::InvalidArgumentError("the account would have more than an account may have");
  }
  Edit(kBankAccount).balance -= amount;
  const uint64_t number = Post(order, EntryKind::kAdjust, std::move(postings));
  if (amount > 0) {
    Grant(record, {number, now, std::nullopt, amount, amount});
    Repay(record, now);
    eased_.insert(account);
  } else {
    Draw(record, -amount, now);
  }
  return number;
}

void Ledger::Charge(const Order& order, const std::string& account, const std::string& site,
                    int64_t amount, RequestId job) {
  if (amount <= 0 || keys_.contains(order.key)) return;
  Draw(Edit(account), amount, order.at.Floor());
  Edit(SiteAccount(site)).balance += amount;
  Post(order, EntryKind::kCharge, {{account, -amount}, {SiteAccount(site), amount}}, job);
}

void Ledger::Expire(const std::string& account, Moment now) {
  const AccountRecord* found = accounts_.Find(account);
  if (!found) return;
  const Instant at = now.Floor();
  int64_t kept = 0;  // of liens, by allocations that ended before
  std::vector<std::pair<size_t, int64_t>> gone;
  for (size_t i = 0; i < found->allocations.size(); ++i) {
    const Allocation& one = found->allocations[i];
    if (EndOf(one) > at) break;
    int64_t liens = 0;  // taken while it was valid
    for (const RequestId id : claimants_[account]) {
      const Claim& claim = claims_.at(id);
      if (claim.account == account && claim.taken < ToMoment(*one.until)) liens += claim.lien;
      if (claim.wants_of == account && claim.wanted_since < ToMoment(*one.until)) {
        liens += claim.wanted;
      }
    }
    const int64_t stays = std::clamp<int64_t>(liens - kept, 0, one.left);
    kept += stays;
    if (stays < one.left) gone.push_back({i, one.left - stays});
  }
  if (gone.empty()) return;
  AccountRecord& record = Edit(account);
  AccountRecord& bank = Edit(kBankAccount);
  for (const auto& [i, amount] : gone) {
    Allocation& one = record.allocations[i];
    one.left -= amount;
    record.balance -= amount;
    bank.balance += amount;
    const uint64_t number = entries_.empty() ? 1 : entries_.all().rbegin()->first + 1;
    // More of it may go in the same turn.
    Post({.key = "expired/" + account + "/" + std::to_string(one.entry) + "/" + std::to_string(i) +
                 "/" + std::to_string(now.milliseconds) + "/" + std::to_string(number),
          .by = "",
          .note = "",
          .at = now},
         EntryKind::kExpired, {{account, -amount}, {kBankAccount, amount}});
  }
  std::erase_if(record.allocations, [](const Allocation& one) { return one.left == 0; });
}

void Ledger::FindDue(Instant now) {
  due_at_.reset();
  ended_.clear();
  const auto by = [this](Instant at) {
    if (!due_at_ || at < *due_at_) due_at_ = at;
  };
  for (const auto& [name, record] : accounts_.all()) {
    for (const Allocation& one : record.allocations) {
      if (one.from > now) by(one.from);
      if (EndOf(one) <= now) ended_.insert(name);
      if (one.until && *one.until > now) by(*one.until);
    }
  }
}

void Ledger::Advance(Moment now) {
  const Instant at = now.Floor();
  if (!due_at_ || *due_at_ > at) return;
  std::vector<std::string> names;
  for (const auto& [name, record] : accounts_.all()) {
    if (!record.allocations.empty()) names.push_back(name);
  }
  for (const std::string& name : names) {
    const AccountRecord& record = *accounts_.Find(name);
    if (Owed(record) > 0 && LeftAt(record, at) > 0) Repay(Edit(name), at);
    Expire(name, now);
    const bool begins =
        std::any_of(record.allocations.begin(), record.allocations.end(),
                    [&](const Allocation& one) { return one.from > advanced_ && one.from <= at; });
    if (begins) eased_.insert(name);
  }
  advanced_ = at;
  FindDue(at);
}

void Ledger::TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to) {
  accounts_.TakeWrites(AccountKey, to);
  entries_.TakeWrites(EntryKey, to);
}

}  // namespace muster::meta
