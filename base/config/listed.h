// Reads lists of peers, whose names and keys must be unique within the file. Only for the sources
// of this folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/config/document.h"
#include "base/config/listed_user.h"
#include "base/validities.h"

namespace muster::config {

// The names and keys seen so far; reports duplicates. A key shared by two peers would give one of
// them two identities.
class Listed {
 public:
  void Name(const Value& value, const std::string& kind, const std::string& name);
  void Key(const Value& value, const std::string& key);

 private:
  std::map<std::string, std::map<std::string, uint32_t>> names_;
  std::map<std::string, uint32_t> keys_;
};

// Reads name, key, role, groups and validity of one [[user]]. The caller reads further keys and
// calls Finish.
ListedUser ReadUser(Section& section, Listed& listed, Validities& validities);
// Reads the validities of all [[group]]s.
void ReadGroups(Section& root, Listed& listed, Validities& validities);

}  // namespace muster::config
