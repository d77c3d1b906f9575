// A QoS that nobody can have, or that contradicts the scheduler, is an error: it would never show.
#include "base/config/qos_reader.h"

#include <utility>

#include "base/config/bank_reader.h"

namespace muster::config {
namespace {

constexpr int64_t kMostUrgency = 99;
constexpr Span kMostGrace{600};
constexpr Span kMostMinRun{86400};
constexpr int64_t kMostRecalls = 100;

// How its work may be recalled from lent room.
void ReadRecall(Section& section, const Value& promise, QosConfig& qos) {
  const Value recall = section.Get("recall");
  Set(qos.recall, recall.AsChoice({"no", "requeue", "checkpoint", "suspend"}));
  if (qos.recall == "no") qos.recall.clear();
  const Value grace = section.Get("grace");
  const Value min_run = section.Get("min_run");
  const Value max_recalls = section.Get("max_recalls");
  Set(qos.grace, grace.AsSpan(Span{0}, kMostGrace));
  Set(qos.min_run, min_run.AsSpan(Span{0}, kMostMinRun));
  Set(qos.max_recalls, max_recalls.AsInteger(1, kMostRecalls));
  if (qos.recall == "suspend" && qos.promise == "start") {
    recall.Report("its work is promised no start that it could go on by",
                  "promise = \"start\" stands in line " + std::to_string(promise.where().line),
                  {"recall = \"requeue\" or \"checkpoint\", or another 'promise'"});
  }
  if (!qos.recall.empty()) {
    if (!min_run) {
      recall.Report("for how long is it safe after a start on lent room?",
                    {"'min_run', as in min_run = \"15m\""});
    }
    return;
  }
  for (const auto* value : {&grace, &min_run, &max_recalls}) {
    if (*value) value->Report("this QoS is not recalled", "recall = \"requeue\"");
  }
}

}  // namespace

std::vector<AccountConfig> ReadAccounts(Section& root, Listed& listed, Named& named) {
  std::vector<AccountConfig> out;
  for (Section& section : root.GetSections("account")) {
    AccountConfig account;
    const Value name = section.Need("name");
    Set(account.name, name.AsName());
    listed.Name(name, "account", account.name);
    if (account.name == "bank") {
      name.Report("no account is named 'bank'", "credits are granted from it");
    }
    Set(account.overdraft, AsCredits(section.Get("overdraft")));
    account.owners = ReadKnown(section.Need("owners"), named, CredentialName::Kind::kGroup);
    section.Finish();
    named.accounts.push_back(account.name);
    out.push_back(std::move(account));
  }
  return out;
}

std::vector<QosConfig> ReadQos(Section& root, Listed& listed, const std::optional<Span>& threshold,
                               Named& named) {
  std::vector<QosConfig> out;
  for (Section& section : root.GetSections("qos")) {
    QosConfig qos;
    const Value name = section.Need("name");
    Set(qos.name, name.AsName());
    listed.Name(name, "qos level", qos.name);
    const Value grant = section.Get("grant");
    const Value default_for = section.Get("default_for");
    qos.grant = ReadKnown(grant, named, CredentialName::Kind::kAccount);
    qos.default_for = ReadKnown(default_for, named, CredentialName::Kind::kAccount);
    Set(qos.urgency, section.Get("urgency").AsInteger(0, kMostUrgency));
    Set(qos.points, section.Get("points").AsInteger(-kMostPoints, kMostPoints));
    qos.target = section.Get("target").AsSpan(Span{1}, kYear);
    Set(qos.charge, AsMultiple(section.Get("charge")));
    const Value promise = section.Get("promise");
    Set(qos.promise, promise.AsChoice({"submission", "block", "start"}));
    for (const Value& one : section.Get("may").AsList()) {
      if (const auto word = one.AsChoice({"reserve", "deadline", "firm"})) qos.may.push_back(*word);
    }
    ReadRecall(section, promise, qos);
    section.Finish();
    if (!grant && !default_for) {
      section.Report("nobody may ask for this QoS",
                     {"'grant' or 'default_for', as in grant = [\"kim\", \"@weather\"]"});
    }
    if (qos.promise == "block" && !threshold) {
      promise.Report("there are no blocks: promises are given at submission", "",
                     {"a 'threshold' of [scheduler] as in \"1h\", or another 'promise'"});
    }
    named.qos.push_back(qos.name);
    out.push_back(std::move(qos));
  }
  return out;
}

}  // namespace muster::config
