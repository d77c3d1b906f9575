// Checks the partitions that machines with a geometry give to parts; see partitions.cc.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "sim/checkers/checker.h"
#include "site/machine/layout.h"

namespace muster::sim {

// by site; sites without a geometry are left out
using Layouts = std::map<std::string, machine::Layout>;

// True if the units are a rectangle, a box or a subcube and, if the layout has I/O links, include a
// unit with a link.
bool IsPartition(const machine::Layout& layout, const std::set<uint32_t>& units);

std::unique_ptr<Checker> CheckPartitions(const CheckedWorld& world, const Layouts& layouts);

}  // namespace muster::sim
