// What a store holds becomes a federation again: linear, one pass per kind of record. protocol.md
// section 7.2.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "meta/service/layer.h"

namespace muster::meta {

absl::StatusOr<ServiceLayer> LoadFederation(
    Options options, std::vector<std::pair<std::string, schemas::MetaRecord>> records, Now now);

}  // namespace muster::meta
