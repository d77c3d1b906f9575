// Uses both cgroup versions, only through their files.
#include "site/driver/shepherd/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::shepherd {
namespace {

int OpenFile(const Group& group, const char* name, size_t name_length, int flags) {
  char path[PATH_MAX];
  const int length = static_cast<int>(name_length);
  if (snprintf(path, sizeof(path), "%s/%.*s", group.path, length, name) >= PATH_MAX) return -1;
  return open(path, flags | O_CLOEXEC);
}

bool WriteFile(const Group& group, const char* name, size_t name_length, const char* value) {
  const int fd = OpenFile(group, name, name_length, O_WRONLY);
  if (fd < 0) return false;
  const size_t size = strlen(value);
  const bool whole = write(fd, value, size) == static_cast<ssize_t>(size);
  close(fd);
  return whole;
}

bool WriteFile(const Group& group, const char* name, const char* value) {
  return WriteFile(group, name, strlen(name), value);
}

}  // namespace

void MakeGroups(Spec* spec) {
  size_t kept = 0;
  for (size_t i = 0; i < spec->group_count; ++i) {
    const Group group = spec->groups[i];
    if (mkdir(group.path, 0755) != 0) continue;
    for (size_t l = group.limits_from; l < group.limits_to; ++l) {
      const char* limit = spec->limits[l];
      const char* equals = strchr(limit, '=');
      if (equals != nullptr) WriteFile(group, limit, equals - limit, equals + 1);
    }
    spec->groups[kept++] = group;
  }
  spec->group_count = kept;
}

void JoinGroups(const Spec& spec, bool skip_unified) {
  for (size_t i = 0; i < spec.group_count; ++i) {
    const Group& group = spec.groups[i];
    if (group.unified && skip_unified) continue;
    // In version 1, moving one thread by `tasks` avoids the kernel's global lock.
    WriteFile(group, group.unified ? "cgroup.procs" : "tasks", "0");
  }
}

bool KillGroups(const Spec& spec) {
  for (size_t i = 0; i < spec.group_count; ++i) {
    if (spec.groups[i].unified && WriteFile(spec.groups[i], "cgroup.kill", "1")) return true;
  }
  return false;
}

namespace {

// A group that could not be joined freezes nothing.
bool HasProcesses(const Group& group) {
  const int fd = OpenFile(group, "cgroup.procs", strlen("cgroup.procs"), O_RDONLY);
  if (fd < 0) return false;
  char first = 0;
  const bool any = read(fd, &first, 1) == 1;
  close(fd);
  return any;
}

}  // namespace

bool FreezeGroups(const Spec& spec, bool frozen) {
  for (size_t i = 0; i < spec.group_count; ++i) {
    const Group& group = spec.groups[i];
    if (!HasProcesses(group)) continue;
    const bool done = group.unified
                          ? WriteFile(group, "cgroup.freeze", frozen ? "1" : "0")
                          : WriteFile(group, "freezer.state", frozen ? "FROZEN" : "THAWED");
    if (done) return true;
  }
  return false;
}

int64_t GroupCpuMs(const Spec& spec) {
  for (size_t i = 0; i < spec.group_count; ++i) {
    if (!spec.groups[i].unified) continue;
    const int fd = OpenFile(spec.groups[i], "cpu.stat", strlen("cpu.stat"), O_RDONLY);
    if (fd < 0) continue;
    char text[64];
    const ssize_t got = read(fd, text, sizeof(text) - 1);
    close(fd);
    constexpr char kUsage[] = "usage_usec ";
    if (got <= 0) continue;
    text[got] = '\0';
    if (strncmp(text, kUsage, strlen(kUsage)) != 0) continue;
    return strtoll(text + strlen(kUsage), nullptr, 10) / 1000;
  }
  return -1;
}

void RemoveGroups(const Spec& spec) {
  for (size_t i = 0; i < spec.group_count; ++i) rmdir(spec.groups[i].path);
}

}  // namespace muster::shepherd
