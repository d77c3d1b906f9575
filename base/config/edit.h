// Changes one thing in the text of a configuration file, to try what its reader and the daemons
// would make of it. docs/cli.md (whatif --change).
#pragma once

#include <optional>
#include <string>

#include "base/status.h"

namespace muster::config {

// The file with the value at `path` set to `to`, a value in TOML ("0.35", "\"drain\"", "[1, 2]"),
// or without it. `path` is the keys from the top, joined by dots: "federation.max_share". Where a
// table stands several times ([[share]]), the key behind its name is that of one of them, by its
// name: "share.chem.target" is `target` of the [[share]] whose `name`, `who`, `names` or `id` is
// "chem" or "account chem"; or its number among them, from 1. Comments and order are lost. Errors,
// for people: `text` or `to` is no TOML; there is no such table, or nothing to remove.
absl::StatusOr<std::string> Edited(const std::string& text, const std::string& path,
                                   const std::optional<std::string>& to);

}  // namespace muster::config
