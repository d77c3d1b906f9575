// Licences of a cluster. Slurm names and counts them; a site has each as the job-wide resource
// "licence_NAME". Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/resources.h"

namespace muster::driver::slurm {

// Amounts by Slurm's name.
using Licences = std::map<std::string, int64_t>;

// "matlab:2,fluent": Slurm's list. An entry without a number is one, one that is malformed none.
Licences LicencesIn(std::string_view list);
// The same backwards; "": none.
std::string ListOf(const Licences& licences);

// The name of the resource: "_" stands for what no such name may have. Of several licences with
// one such name the first is known by it, and no other.
std::string ResourceOf(const std::string& licence);
ResourceSet JobwideOf(const Licences& licences);
// The licences among these resources; `there`: those of the cluster.
Licences LicencesOf(const ResourceSet& jobwide, const Licences& there);

}  // namespace muster::driver::slurm
