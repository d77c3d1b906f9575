// What machines with a geometry give to parts; see partitions.cc.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/checkers/checker.h"
#include "site/machine/geometry.h"

namespace muster::sim {

using Layouts = std::map<std::string, machine::Layout>;  // by site; of those that have one

std::unique_ptr<Checker> CheckPartitions(const CheckedWorld& world, const Layouts& layouts);

}  // namespace muster::sim
