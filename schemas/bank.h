// What accounts have, and what was posted to them. Amounts are millionths of a credit
// (policy/rates.h). Maui Sect. III (Allocation Manager Interface); scheduling.md section 14.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// What a deposit or a transfer granted, and what is left of it.
struct Allocation {
  uint64_t entry = 0;  // number of the entry that granted it
  Instant from;
  std::optional<Instant> until;  // not valid any more from then on; none: it has no end
  int64_t granted = 0;
  int64_t left = 0;
  static constexpr auto Fields() {
    using A = Allocation;
    return FieldList(Field("entry", &A::entry), Field("from", &A::from), Field("until", &A::until),
                     Field("granted", &A::granted), Field("left", &A::left));
  }
  bool operator==(const Allocation&) const = default;
};

// Key "account/NAME" of the meta's store: "chem"; also "bank", which what was granted came from,
// and "site:lakes", which what was charged there went to.
struct AccountRecord {
  std::string name;
  int64_t balance =
      0;  // sum of all postings; less than what is left of allocations: the rest is owed
  std::vector<Allocation>
      allocations;  // in the order in which they are drawn, used up ones left out
  static constexpr auto Fields() {
    using A = AccountRecord;
    return FieldList(Field("name", &A::name), Field("balance", &A::balance),
                     Field("allocations", &A::allocations));
  }
  bool operator==(const AccountRecord&) const = default;
};

enum class EntryKind : uint8_t { kDeposit, kTransfer, kAdjust, kCharge, kExpired };

struct Posting {
  std::string account;
  int64_t amount = 0;
  static constexpr auto Fields() {
    return FieldList(Field("account", &Posting::account), Field("amount", &Posting::amount));
  }
  bool operator==(const Posting&) const = default;
};

// Key "entry/NUMBER": one line of the ledger. The postings add up to zero.
struct EntryRecord {
  uint64_t number = 0;
  Moment at;
  std::string key;  // no two entries have the same; "charge/lakes/1.17/1" of part 1 of hold 1.17
  EntryKind kind = EntryKind::kDeposit;
  std::vector<Posting> postings;
  std::string by;  // "ops"; empty: the meta
  std::optional<RequestId> job;
  std::string note;
  static constexpr auto Fields() {
    using E = EntryRecord;
    return FieldList(Field("number", &E::number), Field("at", &E::at), Field("key", &E::key),
                     Field("kind", &E::kind), Field("postings", &E::postings), Field("by", &E::by),
                     Field("job", &E::job), Field("note", &E::note));
  }
  bool operator==(const EntryRecord&) const = default;
};

// What is set aside for a request from its promise on, and what it was charged. Part of its record:
// it is written with what it is for.
struct Lien {
  std::string account;
  Moment taken;
  std::vector<int64_t> parts;     // by part, what is still set aside
  std::vector<uint64_t> settled;  // parts, from 1, that were charged or will not be
  int64_t charged = 0;
  // By part, of those that were resized: what was used before, and since when it has its present
  // size; empty: none was.
  std::vector<int64_t> accrued;
  std::vector<Moment> since;
  // Its user asked for something else after it had lost its place: the next one may cost more.
  bool asked_anew = false;
  int64_t Open() const {
    int64_t sum = 0;
    for (const int64_t part : parts) sum += part;
    return sum;
  }
  static constexpr auto Fields() {
    using L = Lien;
    return FieldList(Field("account", &L::account), Field("taken", &L::taken),
                     Field("parts", &L::parts), Field("settled", &L::settled),
                     Field("charged", &L::charged), Field("accrued", &L::accrued),
                     Field("since", &L::since), Field("asked_anew", &L::asked_anew));
  }
  bool operator==(const Lien&) const = default;
};

// An entry as people see it.
struct EntryRow {
  uint64_t number = 0;
  Moment at;
  EntryKind kind = EntryKind::kDeposit;
  std::vector<Posting> postings;
  std::string by;                  // empty: the meta
  std::optional<std::string> job;  // "42", "43[7]"
  std::string note;
  std::string key;
  static constexpr auto Fields() {
    using E = EntryRow;
    return FieldList(Field("number", &E::number), Field("at", &E::at), Field("kind", &E::kind),
                     Field("postings", &E::postings), Field("by", &E::by), Field("job", &E::job),
                     Field("note", &E::note), Field("key", &E::key));
  }
  bool operator==(const EntryRow&) const = default;
};

struct LienRow {
  std::string job;
  int64_t amount = 0;
  static constexpr auto Fields() {
    return FieldList(Field("job", &LienRow::job), Field("amount", &LienRow::amount));
  }
  bool operator==(const LienRow&) const = default;
};

// An account, and how it stands; muster account.
struct AccountRow {
  std::string name;
  std::vector<std::string> owners;
  int64_t balance = 0;
  int64_t set_aside = 0;
  int64_t overdraft = 0;
  int64_t free = 0;  // what new work may still cost, the overdraft included
  std::vector<Allocation> allocations;
  std::vector<LienRow> liens;  // only of an account that was named
  static constexpr auto Fields() {
    using A = AccountRow;
    return FieldList(Field("name", &A::name), Field("owners", &A::owners),
                     Field("balance", &A::balance), Field("set_aside", &A::set_aside),
                     Field("overdraft", &A::overdraft), Field("free", &A::free),
                     Field("allocations", &A::allocations), Field("liens", &A::liens));
  }
  bool operator==(const AccountRow&) const = default;
};

}  // namespace muster::schemas
