// Reads a file of changes that are tried on a copy of the running federation: muster whatif
// --change FILE. docs/cli.md section 3 (whatif).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace muster::config {

// One [[change]].
struct ChangeConfig {
  uint32_t line = 0;  // of its heading
  // set, remove, add: of a daemon's configuration file. Else the verb of the command that is tried:
  // submit, reserve, alter, cancel, hold, release, drain, resume, deposit.
  std::string todo;
  std::string at;                 // of a file: "meta" or a site
  std::string path;               // set, remove: keys joined by dots (base/config/edit.h)
  std::optional<std::string> to;  // set: a value in TOML
  std::string add;                // add: lines of TOML
  std::string words;              // of a verb: what follows it, as a shell takes it
  std::string when;               // when it is made, as --from takes it; empty: at once
};

struct ChangesConfig {
  std::string path;  // of the file
  std::vector<ChangeConfig> changes;
};

// Most changes of a file; as many as one question may have (schemas/limits.h).
inline constexpr size_t kMostChanges = 1000;

// Errors: the first error of the file; no change, or more than kMostChanges.
Diagnosed<ChangesConfig> ReadChangesConfig(const std::string& path);
Diagnosed<ChangesConfig> ParseChangesConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
