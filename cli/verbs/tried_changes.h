// Reads a file of changes (base/config/change_config.h) as what the meta is asked to try; the words
// of a command are read as its own verb reads them. Nothing is sent but questions for names.
#pragma once

#include <string>
#include <vector>

#include "cli/verbs/verb.h"
#include "schemas/whatif.h"

namespace muster::cli {

// What `drain`, `resume` and `alter` order with these words.
Expect<schemas::Act> ReadNodesAct(const Given& given, const std::string& verb,
                                  const std::string& site);
Expect<schemas::Act> ReadAlterAct(const Given& given, Session& session);

// Errors name the file and the line of the change.
Expect<std::vector<schemas::TriedChange>> ReadTriedChanges(const std::string& path,
                                                           Session& session);

}  // namespace muster::cli
