// JSON Schemas of the documents, generated from the very fields that they are printed from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json.h"

namespace muster::cli {

// The documents' names, "muster.job/1", ascending.
std::vector<std::string> SchemaNames();
// JSON Schema (draft 2020-12) of one; "job" and "muster.job" are understood, too. None if there is
// no such document.
std::optional<Json> SchemaNamed(std::string_view name);

}  // namespace muster::cli
