// The cgroups of one part: made and limited before its start, joined by its first process alone
// (the shepherd stays outside, so that killing the group leaves someone to write the record),
// removed at its end. A machine without cgroups runs parts all the same.
#pragma once

#include <stdint.h>

#include "site/driver/shepherd/spec.h"

namespace muster::shepherd {

// Makes every group and writes its limits. Groups that cannot be made are dropped from the spec.
void MakeGroups(Spec* spec);
// Moves the calling, single-threaded process into all groups; `skip_unified`: it was born in that
// one.
void JoinGroups(const Spec& spec, bool skip_unified);
// Kills everything in the part's groups with one write; false where the kernel cannot.
bool KillGroups(const Spec& spec);
// Processor time of everything that ever ran in the group, in milliseconds; -1 where it is not
// counted.
int64_t GroupCpuMs(const Spec& spec);
void RemoveGroups(const Spec& spec);

}  // namespace muster::shepherd
