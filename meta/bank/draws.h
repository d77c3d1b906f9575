// How an account's allocations are used up: the one that ends first is drawn first. Pure functions
// over one record. scheduling.md section 14.
#pragma once

#include <cstdint>
#include <vector>

#include "schemas/bank.h"

namespace muster::meta {

// What is left of allocations that have begun; those that have ended count as long as something is
// left of them (Ledger::Advance takes it away).
int64_t LeftAt(const schemas::AccountRecord& account, Instant now);
// What was drawn beyond all allocations.
int64_t Owed(const schemas::AccountRecord& account);

// When the allocation ends; kFarFuture: never.
Instant EndOf(const schemas::Allocation& allocation);

// Adds an allocation, in the order in which they are drawn, and raises the balance.
void Grant(schemas::AccountRecord& account, schemas::Allocation allocation);
// Lowers the balance by `amount`, and what is left of those that have begun; what they have not is
// owed. Returns what was taken of each.
std::vector<schemas::Allocation> Draw(schemas::AccountRecord& account, int64_t amount, Instant now);
// What is left of those that have begun and have not ended; the same as Draw, of these alone.
int64_t ValidAt(const schemas::AccountRecord& account, Instant now);
std::vector<schemas::Allocation> DrawValid(schemas::AccountRecord& account, int64_t amount,
                                           Instant now);
// Pays what is owed out of allocations that have begun. The balance stays.
void Repay(schemas::AccountRecord& account, Instant now);

}  // namespace muster::meta
