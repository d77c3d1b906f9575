// Rules are few: they are searched one by one.
#include "policy/qos.h"

#include <algorithm>

namespace muster::policy {
namespace {

constexpr int32_t kUrgencies = 100;  // of one queue

bool Grants(const Qos& qos, const Credentials& who) {
  return CoversOneOf(qos.grant, who) || CoversOneOf(qos.default_for, who);
}

}  // namespace

const Account* CredentialRules::FindAccount(const std::string& name) const {
  const auto it = std::find_if(accounts.begin(), accounts.end(),
                               [&name](const Account& account) { return account.name == name; });
  return it == accounts.end() ? nullptr : &*it;
}

const Qos* CredentialRules::FindQos(const std::string& name) const {
  const auto found =
      std::find_if(qos.begin(), qos.end(), [&name](const Qos& one) { return one.name == name; });
  return found == qos.end() ? nullptr : &*found;
}

std::vector<std::string> AccountsOf(const CredentialRules& rules, const Credentials& who) {
  std::vector<std::string> out;
  for (const Account& account : rules.accounts) {
    if (CoversOneOf(account.owners, who)) out.push_back(account.name);
  }
  return out;
}

std::vector<std::string> QosOf(const CredentialRules& rules, const Credentials& who) {
  std::vector<std::string> out;
  for (const Qos& qos : rules.qos) {
    if (Grants(qos, who)) out.push_back(qos.name);
  }
  return out;
}

void FillCredentials(const CredentialRules& rules, Credentials& who) {
  if (who.account.empty()) {
    const std::vector<std::string> own = AccountsOf(rules, who);
    if (!own.empty()) who.account = own.front();
  }
  if (!who.qos.empty()) return;
  for (const Qos& qos : rules.qos) {
    if (!CoversOneOf(qos.default_for, who)) continue;
    who.qos = qos.name;
    return;
  }
}

int32_t UrgencyOf(const CredentialRules& rules, int32_t queue, const std::string& qos) {
  if (rules.qos.empty()) return queue;
  const Qos* const found = rules.FindQos(qos);
  return queue * kUrgencies + (found ? found->urgency - kUsualUrgency : 0);
}

std::vector<std::string> NeedsOneOf(const CredentialRules& rules, Privilege privilege,
                                    const std::string& qos) {
  std::vector<std::string> out;
  for (const Qos& one : rules.qos) {
    if (std::find(one.may.begin(), one.may.end(), privilege) == one.may.end()) continue;
    if (one.name == qos) return {};
    out.push_back(one.name);
  }
  return out;
}

}  // namespace muster::policy
