// Reading lists of peers: names and keys that must be unique in their file. Only for the sources of
// this folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/config/document.h"
#include "base/config/listed_user.h"
#include "base/validities.h"

namespace muster::config {

// Who has which name and key already. One key names one peer, or it would have two identities.
class Listed {
 public:
  void Name(const Value& value, const std::string& kind, const std::string& name);
  void Key(const Value& value, const std::string& key);

 private:
  std::map<std::string, std::map<std::string, uint32_t>> names_;
  std::map<std::string, uint32_t> keys_;
};

// Name, key, role and groups of one [[user]], and its validity; what else the file takes, and
// Finish, is the caller's.
ListedUser ReadUser(Section& section, Listed& listed, Validities& validities);
// The validities of all [[group]]s.
void ReadGroups(Section& root, Listed& listed, Validities& validities);

}  // namespace muster::config
