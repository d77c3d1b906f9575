// Accounts with shares in a replay: which job is whose, what the meta is told, and how near each
// account comes to its share. Maui Sect. III (Fairshare); docs/experiments.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "meta/options.h"
#include "sim/replay/federation_replay.h"

namespace muster::sim {

struct AccountShare {
  std::string name;
  int64_t target = 0;  // of all use, in thousandths
};

// Parses "chem=40%" and so on. Errors: no name, no share, a name twice, more than a whole.
absl::StatusOr<std::vector<AccountShare>> ParseAccounts(const std::vector<std::string>& texts);

// Gives each job an account by chance, in proportion to the targets.
void GiveAccounts(std::vector<FederationJob>& jobs, const std::vector<AccountShare>& accounts,
                  uint64_t seed);

// Everybody may use the accounts; with `shares` those who wait are ordered by them alone.
void TellMeta(meta::Options& meta, const std::vector<AccountShare>& accounts, bool shares);

// What an account used of all use in spans of seven days, one beginning each day, from the first
// submission to the last one.
struct AccountFigures {
  std::string name;
  double target = 0;
  double share = 0;     // over all spans
  double off_mean = 0;  // mean distance from the target, as a share of the whole
  double off_most = 0;  // the largest one
  size_t spans = 0;
};
std::vector<AccountFigures> MeasureAccounts(const std::vector<AccountShare>& accounts,
                                            const std::vector<FederationJob>& jobs,
                                            const FederationResult& result);

}  // namespace muster::sim
