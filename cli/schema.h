// JSON Schemas of the documents, generated from the same fields as the documents.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json.h"

namespace muster::cli {

// The names of the documents, as in "muster.job/1", ascending.
std::vector<std::string> SchemaNames();
// The JSON Schema (draft 2020-12) of a document; `name` may also be "job" or "muster.job". Nullopt:
// no such document.
std::optional<Json> SchemaNamed(std::string_view name);

}  // namespace muster::cli
