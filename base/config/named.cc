// "*" is known in each list.
#include "base/config/named.h"

#include "base/phrases.h"

namespace muster::config {
namespace {

const Lines& ListOf(CredentialName::Kind kind, const Named& named) {
  switch (kind) {
    case CredentialName::Kind::kGroup:
      return named.groups;
    case CredentialName::Kind::kAccount:
      return named.accounts;
    case CredentialName::Kind::kQos:
      return named.qos;
    case CredentialName::Kind::kQueue:
      return named.queues;
    case CredentialName::Kind::kUser:
    case CredentialName::Kind::kEverybody:
      break;
  }
  return named.users;
}

// "users here: ann, kim", or that there are none.
std::string KnownText(const std::string& word, const Lines& all) {
  if (all.empty()) return "no " + word + " is listed";
  return (word == "qos" ? "qos" : word + "s") + " here: " + Joined(all);
}

}  // namespace

bool IsKnown(const Value& value, const std::string& who, const Named& named) {
  const CredentialName name = CredentialOf(who);
  if (named.of_others || name.kind == CredentialName::Kind::kEverybody) return true;
  const bool of_all = name.name == kEverybody && name.kind != CredentialName::Kind::kGroup &&
                      name.kind != CredentialName::Kind::kUser;
  const Lines& all = ListOf(name.kind, named);
  if (of_all || Contains(all, std::string(name.name))) return true;
  const std::string word(WordOf(name.kind));
  value.Report("unknown " + word + " '" + std::string(name.name) + "'",
               DidYouMean(std::string(name.name), all), {KnownText(word, all)});
  return false;
}

Lines ReadKnown(const Value& value, const Named& named, CredentialName::Kind most) {
  Lines out;
  for (const Value& one : value.AsList()) {
    const auto who = one.AsText();
    if (!who || !IsKnown(one, *who, named)) continue;
    const CredentialName::Kind kind = CredentialOf(*who).kind;
    if (kind > most && kind != CredentialName::Kind::kEverybody) {
      one.Report("nobody is granted this by " + std::string(WordOf(kind)));
      continue;
    }
    out.push_back(*who);
  }
  return out;
}

}  // namespace muster::config
