// The federation's ledger: what each account has, what is set aside for requests, and every entry.
// Amounts are millionths of a credit. Maui Sect. III (Allocation Manager Interface); scheduling.md
// section 14. What a request costs is worked out elsewhere (meta/requests/credits.h).
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/bank.h"
#include "schemas/kept.h"
#include "schemas/meta_records.h"

namespace muster::meta {

// The account from which everything granted comes, and that of what was charged at a site.
inline constexpr char kBankAccount[] = "bank";
std::string SiteAccount(const std::string& site);  // "site:lakes"

// Entries that are kept: with more, the oldest are forgotten. Balances stay.
inline constexpr size_t kEntriesKept = 200'000;

// What somebody posts by hand.
struct Order {
  std::string key;  // no entry, or the same one, has it
  std::string by;
  std::string note;
  Moment at;
};

// Invariants: what differs from the store is due to be written; the postings of an entry add up to
// zero, and so do all balances; no two entries have one key; no allocation has less than nothing
// left.
class Ledger {
 public:
  void Restore(schemas::AccountRecord record);
  void Restore(schemas::EntryRecord record);

  // What the account may still set aside: what is left of allocations, less what is owed and set
  // aside, for requests other than `apart`. An account that never had anything has 0. Overdrafts
  // come on top.
  int64_t Free(const std::string& account, Instant now, RequestId apart = {}) const;
  // When the next allocation of the account begins; none: none is to come.
  std::optional<Instant> NextBegin(const std::string& account, Instant now) const;

  // Notes what the request has set aside, on its record (`lien`; null: nothing) and in memory alone
  // for a place that is sought (`wanted`). The larger one counts.
  void SetLien(RequestId request, const schemas::Lien* lien);
  void Want(RequestId request, const std::string& account, int64_t wanted, Moment now);
  // Since when it is so; none: nothing is wanted.
  std::optional<Moment> WantedSince(RequestId request) const;
  void Unwant(RequestId request);

  // Each posts one entry and returns its number. An order whose key an entry has that posted the
  // same returns that entry's number and posts nothing. Errors: InvalidArgument, with what would be
  // right; nothing is posted then.
  absl::StatusOr<uint64_t> Deposit(const Order& order, const std::string& account, int64_t amount,
                                   Instant from, std::optional<Instant> until);
  // `least`: what must be free afterwards: the overdraft, negative.
  absl::StatusOr<uint64_t> Transfer(const Order& order, const std::string& from,
                                    const std::string& to, int64_t amount, int64_t least);
  // Adds to an account or, below zero, takes from it.
  absl::StatusOr<uint64_t> Adjust(const Order& order, const std::string& account, int64_t amount,
                                  int64_t least);
  // Charges what a part used at a site. No effect if an entry has the key.
  void Charge(const Order& order, const std::string& account, const std::string& site,
              int64_t amount, RequestId job);

  // Allocations that begin pay what is owed. Of those that have ended goes what nothing is set
  // aside for that was taken before their end.
  void Advance(Moment now);
  // When to call Advance next.
  std::optional<Instant> NextDue() const { return due_at_; }
  // Accounts that may have got more since the last call.
  std::set<std::string> TakeEased() { return std::exchange(eased_, {}); }

  const std::map<std::string, schemas::AccountRecord>& accounts() const { return accounts_.all(); }
  const std::map<uint64_t, schemas::EntryRecord>& entries() const { return entries_.all(); }
  int64_t SetAside(const std::string& account) const;  // for all requests together
  // By request, what the account has set aside.
  std::map<RequestId, int64_t> LiensOf(const std::string& account) const;

  // Appends this turn's writes.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to);

 private:
  struct Claim {
    std::string account;
    int64_t lien = 0;
    Moment taken;
    std::string wants_of;
    int64_t wanted = 0;
    Moment wanted_since;
  };
  // What the claim counts of an account.
  static int64_t Of(const Claim& claim, const std::string& account);
  void Change(RequestId request, const Claim& next);
  uint64_t Post(const Order& order, schemas::EntryKind kind, std::vector<schemas::Posting> postings,
                std::optional<RequestId> job = std::nullopt);
  // The number of the entry with this key, if it posted the same; none: no entry has it.
  absl::StatusOr<std::optional<uint64_t>> Posted(const Order& order, schemas::EntryKind kind,
                                                 const std::vector<schemas::Posting>& postings);
  schemas::AccountRecord& Edit(const std::string& account);
  void Expire(const std::string& account, Moment now);
  void FindDue(Instant now);

  schemas::Kept<std::string, schemas::AccountRecord> accounts_;
  schemas::Kept<uint64_t, schemas::EntryRecord> entries_;
  std::map<std::string, uint64_t> keys_;
  std::map<RequestId, Claim> claims_;
  std::map<std::string, std::set<RequestId>> claimants_;
  std::map<std::string, int64_t> set_aside_;
  std::set<std::string> eased_;
  std::set<std::string> ended_;  // accounts with something left of an allocation that has ended
  std::optional<Instant> due_at_;
  Instant advanced_{INT64_MIN};  // up to when Advance has looked
};

}  // namespace muster::meta
