// Under what somebody asks: the names that rules, limits and lists of access may use (Maui Sect.
// III, Unified Queue). scheduling.md section 13.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

// The name of everybody, in lists of names.
inline constexpr std::string_view kEverybody = "*";

struct Credentials {
  std::string user = {};
  std::vector<std::string> groups = {};  // of the user, in any order
  std::string account = {};              // that the work is for; empty: none
  std::string qos = {};                  // quality of service; empty: none
  std::string queue = {};                // empty: the site's own users have none
  bool interactive = false;              // the class; else batch
  bool operator==(const Credentials&) const = default;
};

// A name as configurations and --allow write it: "kim", "@students", "account chem", "qos urgent",
// "queue debug"; "*" names everybody, "account *" everybody with an account.
struct CredentialName {
  enum class Kind { kUser, kGroup, kAccount, kQos, kQueue, kEverybody };
  Kind kind = Kind::kUser;
  std::string_view name;  // "chem" of "account chem"; "*": each of its kind
};
CredentialName CredentialOf(std::string_view text);  // the result views `text`
// "account", for messages.
std::string_view WordOf(CredentialName::Kind kind);

// Whether the text names one of the credentials.
bool Covers(std::string_view text, const Credentials& who);
// Whether one of the texts does.
bool CoversOneOf(const std::vector<std::string>& texts, const Credentials& who);

}  // namespace muster
