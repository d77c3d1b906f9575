// Accounts and qualities of service: who may ask under which, and what a QoS grants. Maui Sect. III
// (Quality of Service); scheduling.md section 13. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/credentials.h"
#include "base/time.h"

namespace muster::policy {

struct Account {
  std::string name;
  std::vector<std::string> owners;  // "kim", "@weather", "*"; they may ask under it
  int64_t overdraft = 0;            // credits that may be owed, in millionths
  bool operator==(const Account&) const = default;
};

// When a request gets its promise.
enum class PromiseTime : uint8_t {
  kUsual,       // as the federation's threshold says
  kSubmission,  // at once, whatever the threshold
  kBlock,       // with its block
  kStart,       // not before it can start
};
// What not everybody may ask for: a privilege that any QoS has is for those QoS alone.
enum class Privilege : uint8_t { kReserve, kDeadline, kFirm };

inline constexpr int32_t kUsualUrgency = 50;

// How work is recalled from lent room: it ends; it may save itself first; it is paused, if that is
// enough.
enum class Recall : uint8_t { kRequeue, kCheckpoint, kSuspend };

// What its work agrees to: sites may lend it room before its start, and take that back.
struct RecallTerms {
  Recall way = Recall::kRequeue;
  Span grace{20};            // from the word to end until its processes are killed
  Span min_run{900};         // not killed before it has had room for this long
  uint32_t max_recalls = 3;  // recalled so often, it is lent nothing more
  bool operator==(const RecallTerms&) const = default;
};

struct Qos {
  std::string name;
  std::vector<std::string> grant;  // who may ask for it: "*", "kim", "@weather", "account chem"
  std::vector<std::string> default_for;  // who gets it unasked; they may also ask for it
  int32_t urgency = kUsualUrgency;       // 0-99; a loss moves the less urgent (UrgencyOf)
  std::optional<Span> target;            // wait that is wished for; factor `target`
  PromiseTime promise = PromiseTime::kUsual;
  std::vector<Privilege> may;
  int64_t charge = 1000;  // multiple of the rates, in thousandths
  std::optional<RecallTerms> recall;
  bool operator==(const Qos&) const = default;
};

struct CredentialRules {
  std::vector<Account> accounts;
  std::vector<Qos> qos;
  bool operator==(const CredentialRules&) const = default;

  const Qos* FindQos(const std::string& name) const;  // null: no such QoS, or no name
  const Account* FindAccount(const std::string& name) const;
};

// The accounts and QoS that somebody with these credentials may name, in the order of the rules.
std::vector<std::string> AccountsOf(const CredentialRules& rules, const Credentials& who);
std::vector<std::string> QosOf(const CredentialRules& rules, const Credentials& who);

// Sets account and QoS where they are empty: the first account of the user, then the first QoS that
// is the default for these credentials.
void FillCredentials(const CredentialRules& rules, Credentials& who);

// The urgency of a hold: more urgent holds keep their start after a loss. `queue`: the rank of its
// queue, higher is more urgent. Without any QoS it is the queue's; else the usual urgency in the
// last queue is 0, as that of a site's own jobs.
int32_t UrgencyOf(const CredentialRules& rules, int32_t queue, const std::string& qos);

// The QoS that have a privilege, if that is needed and this QoS has it not; empty: it may.
std::vector<std::string> NeedsOneOf(const CredentialRules& rules, Privilege privilege,
                                    const std::string& qos);

}  // namespace muster::policy
