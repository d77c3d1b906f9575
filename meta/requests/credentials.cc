// A refusal names what would be granted.
#include "meta/requests/credentials.h"

#include <algorithm>

#include "base/phrases.h"
#include "meta/requests/members.h"
#include "meta/requests/refusals.h"

namespace muster::meta {
namespace {

using schemas::Refused;

// Refuses a name that is not among the granted ones.
verifier::Fault Check(const std::string& option, const std::string& word, const std::string& name,
                      const std::vector<std::string>& granted, const std::string& user) {
  if (name.empty() || std::find(granted.begin(), granted.end(), name) != granted.end())
    return std::nullopt;
  return Refused{.code = "denied",
                 .message = option + " " + name + ": " + user + " has no such " + word,
                 .help = granted.empty() ? "without " + option
                                         : option + " " + Joined(granted, " or " + option + " "),
                 .changed = kNothingSubmitted};
}

// Refuses a request that uses a privilege of other QoS.
verifier::Fault CheckPrivilege(const RequestsLayer& f, const schemas::RequestSpec& spec,
                               policy::Privilege privilege, bool used, const std::string& what) {
  if (!used) return std::nullopt;
  const std::vector<std::string> needed =
      policy::NeedsOneOf(f.options.credentials, privilege, spec.qos);
  if (needed.empty()) return std::nullopt;
  return Refused{.code = "denied",
                 .message = what + " is for QoS " + Joined(needed, " and ") +
                            (spec.qos.empty() ? "" : "; this one is " + spec.qos),
                 .help = "--qos " + Joined(needed, " or --qos "),
                 .changed = kNothingSubmitted};
}

schemas::RecallWay WayOf(policy::Recall recall) {
  switch (recall) {
    case policy::Recall::kRequeue:
      return schemas::RecallWay::kRequeue;
    case policy::Recall::kCheckpoint:
      return schemas::RecallWay::kCheckpoint;
    case policy::Recall::kSuspend:
      return schemas::RecallWay::kSuspend;
  }
  return schemas::RecallWay::kRequeue;
}

// The terms are those of the QoS, if it has any, else the usual ones. What consists of several
// parts, reserves, or runs inside of a reservation is lent no room. What has lent room alone has no
// start to go on by, and is not suspended.
verifier::Fault EnterContract(const RequestsLayer& f, schemas::RequestSpec& spec) {
  const bool alone = spec.parts.size() == 1 && !spec.reserves && !spec.inside;
  if (spec.contract && !alone) {
    return Refused{.code = "usage",
                   .message = "--recall is for jobs of one part that are in no reservation",
                   .help = "without --recall",
                   .changed = kNothingSubmitted};
  }
  const policy::Qos* const qos = QosOf(f, spec);
  const bool by_qos = qos != nullptr && qos->recall && alone;
  if (!by_qos && !spec.contract) return std::nullopt;
  schemas::Contract contract;
  if (by_qos) {
    contract.way = WayOf(qos->recall->way);
    contract.grace = qos->recall->grace;
    contract.min_run = qos->recall->min_run;
    contract.max_recalls = qos->recall->max_recalls;
  }
  if (spec.contract) contract.way = spec.contract->way;
  const bool only_lent = qos != nullptr && qos->promise == policy::PromiseTime::kStart;
  if (only_lent && contract.way == schemas::RecallWay::kSuspend) {
    return Refused{.code = "usage",
                   .message = "--recall suspend: QoS " + spec.qos +
                              " has promise = \"start\", so it has no start to go on by",
                   .help = "--recall requeue, or --recall checkpoint if it saves its work",
                   .changed = kNothingSubmitted};
  }
  spec.contract = contract;
  return std::nullopt;
}

}  // namespace

Credentials CredentialsOf(const RequestsLayer& f, const schemas::RequestSpec& spec,
                          const std::string& user, Moment now) {
  return {.user = user,
          .groups = GroupsNow(f, user, now),
          .account = spec.account,
          .qos = spec.qos,
          .queue = spec.queue,
          .interactive = spec.request_class == schemas::RequestClass::kInteractive};
}

verifier::Fault EnterCredentials(const RequestsLayer& f, schemas::RequestSpec& spec,
                                 const std::string& user, Moment now) {
  const policy::CredentialRules& rules = f.options.credentials;
  Credentials who = CredentialsOf(f, spec, user, now);
  FillCredentials(rules, who);
  if (auto fault = Check("-A", "account", who.account, AccountsOf(rules, who), user)) return fault;
  if (auto fault = Check("--qos", "QoS", who.qos, policy::QosOf(rules, who), user)) return fault;
  if (f.options.bank && who.account.empty() && !spec.inside) {
    return Refused{.code = "denied",
                   .message = "work is paid for here, and " + user + " has no account",
                   .help = "ask an operator for one",
                   .changed = kNothingSubmitted};
  }
  spec.account = who.account;
  spec.qos = who.qos;
  if (auto fault = EnterContract(f, spec)) return fault;
  return CheckPrivileges(f, spec);
}

verifier::Fault CheckPrivileges(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  using policy::Privilege;
  if (auto fault =
          CheckPrivilege(f, spec, Privilege::kReserve, spec.reserves.has_value(), "a reservation"))
    return fault;
  if (auto fault =
          CheckPrivilege(f, spec, Privilege::kDeadline, spec.deadline.has_value(), "--deadline"))
    return fault;
  return CheckPrivilege(f, spec, Privilege::kFirm, spec.firm, "--firm");
}

const policy::Qos* QosOf(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  return f.options.credentials.FindQos(spec.qos);
}

bool PromisedAtStart(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  const policy::Qos* const qos = QosOf(f, spec);
  const bool recalled_enough = spec.contract && spec.contract->max_recalls == 0;
  // A reservation that nobody is promised reserves nothing.
  return qos != nullptr && qos->promise == policy::PromiseTime::kStart && !spec.reserves &&
         !recalled_enough;
}

bool AsksForLentRoom(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  return spec.contract && spec.parts.size() == 1 && !spec.inside && PromisedAtStart(f, spec);
}

int32_t UrgencyOf(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  return policy::UrgencyOf(f.options.credentials, f.requests.PriorityOf(spec.queue), spec.qos);
}

}  // namespace muster::meta
