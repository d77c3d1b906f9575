// Reads [bank] of meta.toml, and amounts of credits elsewhere in it.
#pragma once

#include <optional>

#include "base/config/bank_config.h"
#include "base/config/document.h"
#include "base/config/qos_config.h"

namespace muster::config {

// A number like 12 or 0.5, not below zero, in millionths.
std::optional<int64_t> AsCredits(const Value& value);
// A multiple of the rates like 2 or 0.5, from 0 to 100, in thousandths.
std::optional<int64_t> AsMultiple(const Value& value);

// None without the table. REQUIRES, and reports otherwise: somebody has an account to pay from.
std::optional<BankConfig> ReadBank(Section& root, const std::vector<AccountConfig>& accounts);

}  // namespace muster::config
