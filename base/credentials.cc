// A kind that is written as a word stands before its name, with one space.
#include "base/credentials.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

using Kind = CredentialName::Kind;

constexpr std::pair<std::string_view, Kind> kWords[] = {
    {"account", Kind::kAccount}, {"qos", Kind::kQos}, {"queue", Kind::kQueue}};

bool Is(std::string_view name, const std::string& own) {
  return !own.empty() && (name == own || name == kEverybody);
}

}  // namespace

CredentialName CredentialOf(std::string_view text) {
  if (text == kEverybody) return {Kind::kEverybody, text};
  if (text.starts_with('@')) return {Kind::kGroup, text.substr(1)};
  for (const auto& [word, kind] : kWords) {
    if (text.size() > word.size() && text.starts_with(word) && text[word.size()] == ' ') {
      return {kind, text.substr(word.size() + 1)};
    }
  }
  return {Kind::kUser, text};
}

std::string_view WordOf(CredentialName::Kind kind) {
  switch (kind) {
    case Kind::kUser:
      return "user";
    case Kind::kGroup:
      return "group";
    case Kind::kAccount:
      return "account";
    case Kind::kQos:
      return "qos";
    case Kind::kQueue:
      return "queue";
    case Kind::kEverybody:
      break;
  }
  return kEverybody;
}

bool Covers(std::string_view text, const Credentials& who) {
  const CredentialName name = CredentialOf(text);
  switch (name.kind) {
    case Kind::kEverybody:
      return true;
    case Kind::kUser:
      return name.name == who.user;
    case Kind::kGroup:
      return std::find(who.groups.begin(), who.groups.end(), name.name) != who.groups.end();
    case Kind::kAccount:
      return Is(name.name, who.account);
    case Kind::kQos:
      return Is(name.name, who.qos);
    case Kind::kQueue:
      return Is(name.name, who.queue);
  }
  return false;
}

bool CoversOneOf(const std::vector<std::string>& texts, const Credentials& who) {
  return std::any_of(texts.begin(), texts.end(),
                     [&who](const std::string& text) { return Covers(text, who); });
}

}  // namespace muster
