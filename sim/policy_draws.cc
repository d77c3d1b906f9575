// Limits leave room for the largest request of the workload.
#include "sim/policy_draws.h"

#include <algorithm>

namespace muster::sim {

policy::PointsRules DrawPoints(Random& random) {
  policy::PointsRules rules{.tick = Span{random.Between(1, 20)},
                            .queue_full = Span{random.Between(10, 300)},
                            .x_full = random.Between(1, 20)};
  for (const policy::Factor factor : policy::kAllFactors) {
    if (factor == policy::Factor::kFsLocal) continue;  // of sites alone
    rules.weights[static_cast<size_t>(factor)] = random.Between(-1000, 1000);
  }
  for (const char* who :
       {"kim", "ana", "queue high", "queue normal", "account course", "qos filler"}) {
    if (random.Chance(700)) rules.credentials[who] = random.Between(-1000, 1000);
  }
  return rules;
}

void DrawSiteTables(Random& random, site::Options& site) {
  if (random.Chance(700)) {
    site.priority = DrawPoints(random);
    site.priority->weights[static_cast<size_t>(policy::Factor::kFsLocal)] =
        random.Between(-1000, 1000);
  }
  if (random.Chance(700)) site.fairshare = DrawShares(random, random);
}

policy::FairshareRules DrawShares(Random& random, Random& dated) {
  constexpr int64_t kWindows[] = {60, 300, 3600};
  policy::FairshareRules rules{.window = Span{kWindows[random.Below(3)]},
                               .depth = static_cast<int>(random.Between(1, 5)),
                               .decay = random.Between(100, 999),
                               .booked = random.Between(0, 2000),
                               .shares = {{.who = "@g", .target = random.Between(1, 1000)},
                                          {.who = "ana", .floor = random.Between(1, 500)}}};
  // An hour is longer than a run: what is barred would never start in it.
  if (dated.Chance(500)) {
    rules.window = std::min(rules.window, Span{300});
    rules.depth = std::min(rules.depth, 2);
    rules.shares.push_back(
        {.who = "account course", .ceiling = dated.Between(1, 800), .admission = true});
  }
  return rules;
}

policy::CredentialRules DrawCredentials(Random& random) {
  return {.accounts = {{"chem", {"kim"}}, {"course", {"*"}}},
          .qos = {{.name = "urgent",
                   .grant = {"*"},
                   .urgency = static_cast<int32_t>(random.Between(51, 99)),
                   .target = Span{random.Between(1, 120)}},
                  {.name = "soon",
                   .grant = {"*"},
                   .default_for = {"ana"},
                   .promise = policy::PromiseTime::kSubmission},
                  {.name = "filler",
                   .grant = {"*"},
                   .urgency = static_cast<int32_t>(random.Between(0, 49)),
                   .promise = policy::PromiseTime::kStart}}};
}

void DrawBank(Random& random, meta::Options& options) {
  options.bank = policy::BankRules{.rates = {{"ncpus", random.Between(1, 100) * 36'000, 1}}};
  for (policy::Qos& qos : options.credentials.qos) qos.charge = random.Between(0, 20) * 100;
  for (const char* site : {"hills", "woods"}) options.terms[site].charge = random.Between(1, 2000);
  for (policy::Account& account : options.credentials.accounts) {
    account.overdraft = random.Chance(500) ? random.Between(1, 10) * policy::kCredit : 0;
  }
}

void DrawHomes(uint64_t seed, meta::Options& options) {
  Random random(seed ^ 0x686f6d6573);
  if (random.Chance(500)) return;
  for (meta::User& user : options.users) {
    if (!user.is_operator) user.home = options.sites[random.Below(options.sites.size())];
  }
}

void DrawLimits(Random& random, meta::Options& options) {
  if (random.Chance(500)) {
    options.limits.push_back({.who = random.Chance(500) ? "account course" : "*",
                              .resource = "ncpus",
                              .items = random.Between(24, 40)});
  } else {
    options.limits.push_back({.who = "*", .resource = "jobs", .items = random.Between(2, 6)});
  }
  if (random.Chance(300)) {
    options.limits.push_back({.who = "ana",
                              .resource = "jobs",
                              .items = random.Between(2, 5),
                              .on = policy::Limit::On::kPromised});
  }
}

void DrawRecall(Random& random, policy::CredentialRules& rules) {
  for (policy::Qos& qos : rules.qos) {
    if (random.Chance(200)) continue;
    qos.recall = policy::RecallTerms{.grace = Span{random.Between(0, 4)},
                                     .min_run = Span{random.Between(0, 8)},
                                     .max_recalls = static_cast<uint32_t>(random.Between(1, 4))};
    if (random.Chance(500)) qos.recall->way = policy::Recall::kCheckpoint;
  }
}

void DrawSuspends(Random& random, policy::CredentialRules& rules) {
  for (policy::Qos& qos : rules.qos) {
    const bool has_a_start = qos.promise != policy::PromiseTime::kStart;
    if (qos.recall && has_a_start && random.Chance(700)) qos.recall->way = policy::Recall::kSuspend;
  }
}

void DrawBeyondBalance(Random& random, std::vector<site::Options>& sites) {
  for (site::Options& site : sites) {
    if (random.Chance(300)) site.lends_beyond = random.Chance(500) ? 0 : 1;
  }
}

void DrawWhoWaits(Random& random, std::vector<site::Options>& sites) {
  for (site::Options& site : sites) {
    if (random.Chance(250)) {
      site.rules.recalled_for = {random.Chance(500) ? "qos urgent" : "account course"};
    }
  }
}

void DrawLoans(Random& random, meta::Options& options, std::vector<site::Options>& sites) {
  DrawRecall(random, options.credentials);
  for (site::Options& site : sites) {
    if (random.Chance(200)) continue;
    site.lends_to = {random.Chance(700) ? "*" : "qos soon"};
  }
}

void NameCredentials(std::vector<PlannedRequest>& plan, Random& random) {
  for (PlannedRequest& one : plan) {
    if (random.Chance(300)) one.spec.account = "course";
    if (random.Chance(500)) continue;
    constexpr const char* kQos[] = {"urgent", "soon", "filler"};
    one.spec.qos = kQos[random.Below(3)];
  }
}

void AddCredentialRules(site::Options& site) {
  rules::Limit account{.who = "account course", .resource = "ncpus"};
  account.items.items = site.nodes.size() > 2 ? 12 : 8;
  rules::Limit qos{.who = "qos *", .resource = rules::kJobs};
  qos.items.items = 3;
  qos.each = true;
  site.rules.limits.insert(site.rules.limits.end(), {account, qos});
}

}  // namespace muster::sim
