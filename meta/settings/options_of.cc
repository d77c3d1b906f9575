// One line per value.
#include "meta/settings/options_of.h"

#include <map>
#include <string>

#include "base/check.h"
#include "base/text/validity.h"
#include "policy/settings/rules_of.h"

namespace muster::meta {
namespace {

std::vector<policy::Limit> LimitsOf(const config::MetaConfig& config) {
  const std::map<std::string, policy::Limit::On> words = {
      {"running", policy::Limit::On::kRunning},
      {"promised", policy::Limit::On::kPromised},
      {"open", policy::Limit::On::kOpen}};
  std::vector<policy::Limit> out;
  for (const config::SpanningLimitConfig& limit : config.limits) {
    out.push_back({.who = limit.who,
                   .resource = limit.resource,
                   .items = limit.items,
                   .on = words.at(limit.on),
                   .each = limit.each,
                   .valid = limit.valid,
                   .when = text::ValidityText(limit.valid)});
  }
  return out;
}

policy::BankRules BankRulesOf(const config::BankConfig& config) {
  policy::BankRules rules;
  for (const config::RateConfig& rate : config.rates) {
    rules.rates.push_back({rate.resource, rate.per_hour, rate.unit});
  }
  for (const config::HoursConfig& hours : config.hours) {
    rules.hours.push_back({hours.valid, hours.times});
  }
  return rules;
}

policy::CredentialRules CredentialRulesOf(const config::MetaConfig& config) {
  policy::CredentialRules rules;
  for (const config::AccountConfig& account : config.accounts) {
    rules.accounts.push_back({account.name, account.owners, account.overdraft});
  }
  const std::map<std::string, policy::PromiseTime> promises = {
      {"", policy::PromiseTime::kUsual},
      {"submission", policy::PromiseTime::kSubmission},
      {"block", policy::PromiseTime::kBlock},
      {"start", policy::PromiseTime::kStart}};
  const std::map<std::string, policy::Privilege> privileges = {
      {"reserve", policy::Privilege::kReserve},
      {"deadline", policy::Privilege::kDeadline},
      {"firm", policy::Privilege::kFirm}};
  const std::map<std::string, policy::Recall> ways = {{"requeue", policy::Recall::kRequeue},
                                                      {"checkpoint", policy::Recall::kCheckpoint},
                                                      {"suspend", policy::Recall::kSuspend}};
  for (const config::QosConfig& qos : config.qos) {
    policy::Qos& out =
        rules.qos.emplace_back(policy::Qos{.name = qos.name,
                                           .grant = qos.grant,
                                           .default_for = qos.default_for,
                                           .urgency = static_cast<int32_t>(qos.urgency),
                                           .target = qos.target,
                                           .promise = promises.at(qos.promise)});
    out.charge = qos.charge;
    if (!qos.recall.empty()) {
      out.recall = policy::RecallTerms{.way = ways.at(qos.recall),
                                       .grace = qos.grace,
                                       .min_run = qos.min_run,
                                       .max_recalls = static_cast<uint32_t>(qos.max_recalls)};
    }
    for (const std::string& word : qos.may) out.may.push_back(privileges.at(word));
  }
  return rules;
}

}  // namespace

Options OptionsOf(const config::MetaConfig& config, uint64_t seed) {
  Options options;
  options.federation = config.name;
  for (const config::ListedSite& site : config.sites) {
    options.sites.push_back(site.name);
    const SiteTerms terms{.speed = site.speed_percent * kReferenceSpeed / 100,
                          .cost = site.cost,
                          .charge = site.charge};
    if (terms != SiteTerms{}) options.terms[site.name] = terms;
  }
  for (const config::ListedUser& user : config.users) {
    options.users.push_back({user.name, user.is_operator, user.groups, user.home});
  }
  options.validities = config.validities;
  for (const config::ListedSite& site : config.sites) {
    options.keys.push_back({"site:" + site.name, "site", site.key});
  }
  for (const config::ListedUser& user : config.users) {
    options.keys.push_back({"user:" + user.name, user.is_operator ? "operator" : "user", user.key});
  }
  options.queues.clear();
  for (const config::QueueConfig& queue : config.queues) {
    options.queues.push_back({queue.name, queue.order});
  }
  if (config.fairshare) {
    options.fairshare = policy::FairshareRulesOf(*config.fairshare);
    options.balance = {.window = options.fairshare->window,
                       .depth = options.fairshare->depth,
                       .decay = options.fairshare->decay,
                       .booked = options.fairshare->booked};
  }
  if (config.bank) options.bank = BankRulesOf(*config.bank);
  options.credentials = CredentialRulesOf(config);
  options.limits = LimitsOf(config);
  if (config.priority) {
    options.priority = policy::PointsRulesOf(*config.priority);
    for (const config::QosConfig& qos : config.qos) {
      if (qos.points != 0) options.priority->credentials["qos " + qos.name] += qos.points;
    }
  }
  options.threshold = config.scheduler.threshold;
  options.duration = config.scheduler.duration;
  options.horizon = config.scheduler.horizon;
  options.packing = packing::ParseAlgorithm(config.scheduler.packing);  // "auto" gives nullopt
  options.block_max = static_cast<size_t>(config.scheduler.block_max);
  for (const config::LinkConfig& link : config.links) {
    // The configuration check admits only values that the matrix takes.
    MUSTER_CHECK(options.transfer.Set(link.from, link.to, link.mbit_per_s, link.latency).ok());
  }
  options.ask_sites = static_cast<size_t>(config.scheduler.ask_sites);
  options.ask_joint = static_cast<size_t>(config.scheduler.ask_joint);
  options.confidence = config.scheduler.confidence;
  options.home_first = config.scheduler.home_first;
  const config::ProtocolConfig& p = config.protocol;
  options.values = {.lead = p.lead,
                    .start_wait = p.start_wait,
                    .permit_window = p.permit_window,
                    .answer_wait = p.answer_wait,
                    .settle = p.settle,
                    .partner_wait = p.partner_wait,
                    .lease = p.lease,
                    .heartbeat = p.heartbeat};
  options.seed = seed;
  return options;
}

}  // namespace muster::meta
