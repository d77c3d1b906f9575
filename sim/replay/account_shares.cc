// Use is processors times the time within the span.
#include "sim/replay/account_shares.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/random.h"
#include "sim/replay/shares_of_a_whole.h"

namespace muster::sim {
namespace {

constexpr Span kADay{86'400};
constexpr Span kSevenDays{7 * 86'400};
constexpr int64_t kWholeShare = 1000;

// Processor-seconds of each account by day, counted from `begin`.
using ByDay = std::map<int64_t, std::map<std::string, double>>;

void AddJob(const FederationJob& job, const JobOutcome& outcome, Instant begin, ByDay& days) {
  if (!outcome.start || !outcome.end) return;
  const auto processors = static_cast<double>(job.Processors());
  for (Instant at = *outcome.start; at < *outcome.end;) {
    const int64_t day = (at - begin).seconds / kADay.seconds;
    const Instant end = std::min(*outcome.end, begin + Span{(day + 1) * kADay.seconds});
    days[day][job.account] += processors * static_cast<double>((end - at).seconds);
    at = end;
  }
}

}  // namespace

absl::StatusOr<std::vector<AccountShare>> ParseAccounts(const std::vector<std::string>& texts) {
  std::vector<AccountShare> out;
  std::set<std::string> names;
  int64_t sum = 0;
  for (const std::string& text : texts) {
    const size_t sign = text.find('=');
    const std::string name = text.substr(0, sign);
    const std::optional<uint32_t> share =
        sign == std::string::npos ? std::nullopt : Thousandths(text.substr(sign + 1));
    if (name.empty() || !share || *share == 0) {
      return InvalidArgument("account '" + text + "': as in chem=40%");
    }
    if (!names.insert(name).second) return InvalidArgument("account '" + name + "' is there twice");
    sum += *share;
    out.push_back({name, *share});
  }
  if (sum > kWholeShare) return InvalidArgument("the shares of the accounts are more than 100 %");
  return out;
}

void GiveAccounts(std::vector<FederationJob>& jobs, const std::vector<AccountShare>& accounts,
                  uint64_t seed) {
  if (accounts.empty()) return;
  int64_t sum = 0;
  for (const AccountShare& account : accounts) sum += account.target;
  Random random(seed ^ 0x6163636f756e74);
  for (FederationJob& job : jobs) {
    int64_t drawn = static_cast<int64_t>(random.Below(static_cast<uint64_t>(sum)));
    for (const AccountShare& account : accounts) {
      job.account = account.name;
      drawn -= account.target;
      if (drawn < 0) break;
    }
  }
}

void TellMeta(meta::Options& meta, const std::vector<AccountShare>& accounts, bool shares) {
  for (const AccountShare& account : accounts) {
    meta.credentials.accounts.push_back({.name = account.name, .owners = {"*"}});
  }
  if (accounts.empty() || !shares) return;
  meta.fairshare.emplace();
  for (const AccountShare& account : accounts) {
    meta.fairshare->shares.push_back({.who = "account " + account.name, .target = account.target});
  }
  meta.priority.emplace();
  meta.priority->weights[static_cast<size_t>(policy::Factor::kFsGlobal)] = kWholeShare;
}

std::vector<AccountFigures> MeasureAccounts(const std::vector<AccountShare>& accounts,
                                            const std::vector<FederationJob>& jobs,
                                            const FederationResult& result) {
  if (jobs.empty() || accounts.empty()) return {};
  const Instant begin = jobs.front().submitted;
  ByDay days;
  for (size_t i = 0; i < jobs.size(); ++i) AddJob(jobs[i], result.jobs[i], begin, days);
  std::vector<AccountFigures> out;
  const int64_t spans =
      ((jobs.back().submitted - begin).seconds - kSevenDays.seconds) / kADay.seconds + 1;
  for (const AccountShare& account : accounts) {
    AccountFigures figures{.name = account.name,
                           .target = static_cast<double>(account.target) / kWholeShare};
    for (int64_t first = 0; first < spans; ++first) {
      double own = 0;
      double all = 0;
      for (auto day = days.lower_bound(first); day != days.end() && day->first < first + 7; ++day) {
        for (const auto& [name, used] : day->second) {
          all += used;
          if (name == account.name) own += used;
        }
      }
      if (all <= 0) continue;
      const double off = std::abs(own / all - figures.target);
      figures.share += own / all;
      figures.off_mean += off;
      figures.off_most = std::max(figures.off_most, off);
      ++figures.spans;
    }
    if (figures.spans > 0) {
      figures.share /= static_cast<double>(figures.spans);
      figures.off_mean /= static_cast<double>(figures.spans);
    }
    out.push_back(std::move(figures));
  }
  return out;
}

}  // namespace muster::sim
