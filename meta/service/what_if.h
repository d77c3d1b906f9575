// What would be if: a user or operator asks what changes would do to the running federation. The
// meta collects the records of the sites and gives them, with its own, to a program beside it,
// which runs the same cores as they are and changed. No daemon waits for it. scheduling.md section
// 19; protocol.md section 2b; Maui Sect. III (Simulation).
#pragma once

#include <optional>
#include <string>

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

// Operators may try everything. Users may try what they may do: submit, and change their own jobs.
void OnWhatIf(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

void TakeSnapshot(ServiceLayer& f, Turn& t, Site& site, uint64_t inspection,
                  const schemas::SnapshotView& view);
// The site will not answer any more.
void EndSnapshotOf(ServiceLayer& f, Turn& t, const std::string& site);
void EndOverdueWhatIf(ServiceLayer& f, Turn& t);
void OnWhatIfDone(ServiceLayer& f, Turn& t, const WhatIfDone& done);
std::optional<BootInstant> NextWhatIfEnd(const ServiceLayer& f);

}  // namespace muster::meta
