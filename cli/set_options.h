// Reads --set and --group, which say what a part's nodes must be together. cli.md section 2.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "cli/options.h"

namespace muster::cli {

// The text of schemas::PartSpec::set. "--group switch" is "--set switch"; "--group none" is the
// empty text: as the site says. None if neither option is given. The columns of an error count from
// the value of the option.
Diagnosed<std::optional<std::string>> ReadSet(const Given& given);

}  // namespace muster::cli
