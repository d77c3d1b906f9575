// Rebuilds the meta's state from the records of its store: linear time, one pass per kind of
// record. Errors: as of Core::Load. protocol.md section 7.2.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "meta/service/layer.h"

namespace muster::meta {

absl::StatusOr<ServiceLayer> LoadFederation(
    Options options, std::vector<std::pair<std::string, schemas::MetaRecord>> records, Now now);

}  // namespace muster::meta
