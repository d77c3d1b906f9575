// A part's environment: the MUSTER_* variables of cli.md section 6, except those that only a driver
// knows (node file, secret file, submit directory, CUDA_VISIBLE_DEVICES).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/hold.h"
#include "verifier/part_booking.h"

namespace muster::site {

// REQUIRES: `part` is one of hold.parts and hold.order.parts, and the hold is permitted. The part
// starts at `now`.
std::map<std::string, std::string> PartEnvironment(const std::string& site,
                                                   const schemas::HoldRecord& hold,
                                                   const schemas::PartRecord& part, Instant now);

using verifier::NodesOf;

// A job's name: "42", "43[7]"; of a job of the site alone: "lakes/17"; of a reservation: "R42".
std::string JobName(const schemas::HoldOrder& order);
// A part's name everywhere but at its driver: "42.1", "lakes/17.1".
std::string PartName(RequestId request, uint32_t index);
std::string PartName(const schemas::HoldOrder& order, uint32_t index);
// The name of a part's folder and output: "42.1", or "lakes-17.1" for a job of the site alone. No
// part of a federated job has such a name.
std::string PartFolder(const schemas::HoldOrder& order, uint32_t index);
std::string LocalFolder(const std::string& site, uint64_t number, uint32_t index);

// An instant in UTC: "2026-11-19T14:00:00Z".
std::string Rfc3339(Instant at);

}  // namespace muster::site
