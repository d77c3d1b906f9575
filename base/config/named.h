// Whom a configuration lists, so that a misspelt name in a policy does not go unnoticed. Only for
// the sources of this folder.
#pragma once

#include <string>

#include "base/config/document.h"
#include "base/credentials.h"

namespace muster::config {

struct Named {
  // Whoever the federation lists may be named, too: the file does not say who that is.
  bool of_others = false;
  Lines users;
  Lines groups;
  Lines queues;
  Lines accounts;
  Lines qos;
};

// Whether `who` (base/credentials.h) is in the lists; reports it at the value if not.
bool IsKnown(const Value& value, const std::string& who, const Named& named);

// A list of known names of the kinds up to `most`: a grant must not depend on what is asked for.
// Others are reported and left out.
Lines ReadKnown(const Value& value, const Named& named, CredentialName::Kind most);

}  // namespace muster::config
