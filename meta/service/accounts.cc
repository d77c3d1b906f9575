// Users see the accounts that list them; operators see all, also those of sites and the bank's own.
#include "meta/service/accounts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/phrases.h"
#include "base/units.h"
#include "meta/requests/members.h"
#include "meta/requests/refusals.h"
#include "meta/service/access.h"
#include "meta/service/audit.h"

namespace muster::meta {
namespace {

using schemas::EntryKind;
using schemas::Refused;

// Those that the asker may see: configured ones, and those on record.
std::set<std::string> Seen(const ServiceLayer& f, const Turn& t, const Asker& asker) {
  std::set<std::string> out;
  if (!f.options.bank) return out;
  if (!IsOperator(f, asker.user)) {
    const Credentials who{.user = asker.user, .groups = GroupsNow(f, asker.user, t.plan)};
    for (std::string& name : AccountsOf(f.options.credentials, who)) out.insert(std::move(name));
    return out;
  }
  for (const policy::Account& account : f.options.credentials.accounts) out.insert(account.name);
  for (const auto& [name, record] : f.bank.accounts()) out.insert(name);
  return out;
}

Refused Unknown(const std::string& name, const std::set<std::string>& seen) {
  const std::vector<std::string> names(seen.begin(), seen.end());
  return {.code = "not-found",
          .message = "there is no account '" + name + "' here for you",
          .help = names.empty() ? "" : "accounts: " + Joined(names),
          .changed = kNothingChanged};
}

// True if the asker may see the account; else it is refused.
bool MaySee(ServiceLayer& f, Turn& t, const Asker& asker, const std::string& name) {
  if (!f.options.bank) {
    Refuse(f, t, asker,
           {.code = "not-found",
            .message = "nothing is charged here",
            .help = "[bank] of meta.toml gives rates",
            .changed = kNothingChanged});
    return false;
  }
  const std::set<std::string> seen = Seen(f, t, asker);
  if (name.empty() || seen.contains(name)) return true;
  Refuse(f, t, asker, Unknown(name, seen));
  return false;
}

schemas::AccountRow RowOf(const ServiceLayer& f, const Turn& t, const std::string& name) {
  schemas::AccountRow row{.name = name};
  if (const policy::Account* account = f.options.credentials.FindAccount(name)) {
    row.owners = account->owners;
    row.overdraft = account->overdraft;
    row.free = f.bank.Free(name, t.plan.Floor()) + row.overdraft;
  }
  row.set_aside = f.bank.SetAside(name);
  const auto record = f.bank.accounts().find(name);
  if (record == f.bank.accounts().end()) return row;
  row.balance = record->second.balance;
  row.allocations = record->second.allocations;
  if (row.allocations.size() > schemas::kRowsPerPage) row.allocations.resize(schemas::kRowsPerPage);
  return row;
}

// "42", "43[7]", "R7".
std::string ShownText(const ServiceLayer& f, RequestId id) {
  const Request* request = f.requests.Find(id);
  return request ? ShownId(*request) : ToText(id);
}

schemas::EntryRow RowOf(const ServiceLayer& f, const schemas::EntryRecord& entry) {
  schemas::EntryRow row{.number = entry.number,
                        .at = entry.at,
                        .kind = entry.kind,
                        .postings = entry.postings,
                        .by = entry.by,
                        .note = entry.note,
                        .key = entry.key};
  if (entry.job) row.job = ShownText(f, *entry.job);
  return row;
}

int64_t OverdraftOf(const ServiceLayer& f, const std::string& name) {
  const policy::Account* account = f.options.credentials.FindAccount(name);
  return account ? account->overdraft : 0;
}

absl::StatusOr<uint64_t> Post(ServiceLayer& f, const Turn& t, const Asker& asker,
                              const schemas::Act& act) {
  const schemas::PostingOrder& posting = *act.posting;
  const Order order{
      .key = "key/" + posting.key, .by = asker.user, .note = act.reason, .at = t.plan};
  switch (posting.kind) {
    case EntryKind::kDeposit:
      return f.bank.Deposit(order, posting.account, posting.amount,
                            posting.from.value_or(t.plan.Floor()), posting.until);
    case EntryKind::kTransfer:
      return f.bank.Transfer(order, posting.account, posting.to, posting.amount, 0);
    case EntryKind::kAdjust:
      return f.bank.Adjust(order, posting.account, posting.amount,
                           -OverdraftOf(f, posting.account));
    case EntryKind::kCharge:
    case EntryKind::kExpired:
      break;
  }
  return absl::InvalidArgumentError("only the meta posts this");
}

}  // namespace

void GetAccounts(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (!MaySee(f, t, asker, get.account)) return;
  schemas::Rows rows;
  if (get.account.empty()) {
    for (const std::string& name : Seen(f, t, asker)) {
      if (rows.accounts.size() < schemas::kActTargets) rows.accounts.push_back(RowOf(f, t, name));
    }
    return SendRows(f, t, asker, std::move(rows));
  }
  schemas::AccountRow row = RowOf(f, t, get.account);
  for (const auto& [id, amount] : f.bank.LiensOf(get.account)) {
    if (row.liens.size() < schemas::kActTargets) row.liens.push_back({ShownText(f, id), amount});
  }
  rows.accounts.push_back(std::move(row));
  SendRows(f, t, asker, std::move(rows));
}

void GetStatement(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (get.account.empty() && !IsOperator(f, asker.user)) {
    return Refuse(f, t, asker,
                  {.code = "usage",
                   .message = "a statement is of one account",
                   .help = "muster account NAME statement",
                   .changed = kNothingChanged});
  }
  if (!MaySee(f, t, asker, get.account)) return;
  schemas::Rows rows;
  const auto& all = f.bank.entries();
  for (auto it = all.upper_bound(get.from); it != all.end(); ++it) {
    const std::vector<schemas::Posting>& postings = it->second.postings;
    const bool about = get.account.empty() ||
                       std::any_of(postings.begin(), postings.end(), [&](const auto& posting) {
                         return posting.account == get.account;
                       });
    if (!about) continue;
    if (rows.entries.size() == schemas::kRowsPerPage) {
      rows.more = true;
      break;
    }
    rows.entries.push_back(RowOf(f, it->second));
  }
  SendRows(f, t, asker, std::move(rows));
}

void OnPost(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  const auto usage = [&](std::string message, std::string help) {
    Refuse(f, t, asker,
           {.code = "usage",
            .message = std::move(message),
            .help = std::move(help),
            .changed = kNothingChanged});
  };
  if (!act.posting || act.posting->key.empty()) {
    return usage("an entry of the ledger needs an account, an amount and a key", "");
  }
  const schemas::PostingOrder& posting = *act.posting;
  if (!MaySee(f, t, asker, posting.account)) return;
  const bool transfer = posting.kind == EntryKind::kTransfer;
  if (transfer && !MaySee(f, t, asker, posting.to)) return;
  // What nobody may use can only be given back.
  const std::string& taker = transfer ? posting.to : posting.account;
  const bool gives = transfer || posting.amount > 0;
  for (const std::string& name : {posting.account, taker}) {
    const bool listed = f.options.credentials.FindAccount(name) != nullptr;
    const bool of_the_bank = name == kBankAccount || name.find(':') != std::string::npos;
    if (of_the_bank || (!listed && gives && name == taker)) {
      return usage("'" + name + "' is no account that anybody may use",
                   "an [[account]] of meta.toml");
    }
  }
  const absl::StatusOr<uint64_t> number = Post(f, t, asker, act);
  if (!number.ok()) {
    return Refuse(f, t, asker,
                  {.code = "conflict",
                   .message = std::string(number.status().message()),
                   .changed = "nothing was posted"});
  }
  const std::string what = CreditsText(posting.amount) + " credits, " + posting.account +
                           (transfer ? " to " + posting.to : "");
  Audit(f, t, "user:" + asker.user, "account", what, "entry " + std::to_string(*number));
  schemas::Accepted out;
  out.notes = {"entry " + std::to_string(*number) + "; " + taker + " has " +
               CreditsText(f.bank.Free(taker, t.plan.Floor()) + OverdraftOf(f, taker)) +
               " credits for new work"};
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

}  // namespace muster::meta
