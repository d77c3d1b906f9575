// The cgroups of one part. They are created and limited before its start, joined by its first
// process, and removed at its end. The shepherd stays outside, so that it survives killing the
// group and can write the record. A machine without cgroups runs parts all the same.
#pragma once

#include <stdint.h>

#include "site/driver/shepherd/spec.h"

namespace muster::shepherd {

// Creates every group and writes its limits. Groups that cannot be created are dropped from the
// spec.
void MakeGroups(Spec* spec);
// Moves the calling, single-threaded process into all groups. `skip_unified`: the process was
// already created in the version 2 group.
void JoinGroups(const Spec& spec, bool skip_unified);
// Kills all processes of the part's version 2 group with one write. False if there is no such group
// or the kernel cannot.
bool KillGroups(const Spec& spec);
// Takes all processes of the part off their cores, or lets them go on: by the version 2 group, else
// by a version 1 group of the freezer. False if the part is in neither.
bool FreezeGroups(const Spec& spec, bool frozen);
// CPU time of all processes that ever ran in the version 2 group, in milliseconds; -1 if it is not
// counted.
int64_t GroupCpuMs(const Spec& spec);
void RemoveGroups(const Spec& spec);

}  // namespace muster::shepherd
