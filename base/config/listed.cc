// Reports a duplicate at its second occurrence.
#include "base/config/listed.h"

#include "base/config/site_values.h"
#include "base/text/validity.h"

namespace muster::config {
namespace {

void ReadValid(const Value& value, const std::string& name,
               std::map<std::string, Validities::One>& table) {
  const std::optional<Validity> valid = ReadValidity(value);
  if (!valid || valid->kind == Validity::Kind::kAlways) return;
  table[name] = {*valid, text::ValidityText(*valid)};
}

}  // namespace

void Listed::Name(const Value& value, const std::string& kind, const std::string& name) {
  if (name.empty() || names_[kind].insert({name, value.where().line}).second) return;
  value.Report("two " + kind + "s are named '" + name + "'",
               "the first stands in line " + std::to_string(names_[kind][name]));
}

void Listed::Key(const Value& value, const std::string& key) {
  if (key.empty() || keys_.insert({key, value.where().line}).second) return;
  value.Report("this key is listed twice", "the first stands in line " + std::to_string(keys_[key]),
               {"a key gives one identity; make another with 'muster keys new'"});
}

ListedUser ReadUser(Section& section, Listed& listed, Validities& validities) {
  ListedUser user;
  const Value name = section.Need("name");
  Set(user.name, name.AsName());
  listed.Name(name, "user", user.name);
  const Value key = section.Need("key");
  Set(user.key, key.AsPublicKey());
  listed.Key(key, user.key);
  if (const auto role = section.Get("role").AsChoice({"user", "operator"})) {
    user.is_operator = *role == "operator";
  }
  for (const Value& group : section.Get("groups").AsList()) {
    if (const auto group_name = group.AsName()) user.groups.push_back(*group_name);
  }
  ReadValid(section.Get("valid"), user.name, validities.users);
  return user;
}

void ReadGroups(Section& root, Listed& listed, Validities& validities) {
  for (Section& section : root.GetSections("group")) {
    std::string group;
    const Value name = section.Need("name");
    Set(group, name.AsName());
    listed.Name(name, "group", group);
    ReadValid(section.Need("valid"), group, validities.groups);
    section.Finish();
  }
}

}  // namespace muster::config
