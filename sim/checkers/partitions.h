// What machines with a geometry give to parts; see partitions.cc.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "sim/checkers/checker.h"
#include "site/machine/layout.h"

namespace muster::sim {

using Layouts = std::map<std::string, machine::Layout>;  // by site; of those that have one

// These units are a rectangle, a box or a subcube, and one of them has a link where there are any.
bool IsPartition(const machine::Layout& layout, const std::set<uint32_t>& units);

std::unique_ptr<Checker> CheckPartitions(const CheckedWorld& world, const Layouts& layouts);

}  // namespace muster::sim
