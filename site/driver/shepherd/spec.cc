// Parses in two passes, one to count and one to fill, so that no growing container is needed.
#include "site/driver/shepherd/spec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "site/driver/shepherd/part_folder.h"

namespace muster::shepherd {
namespace {

constexpr off_t kSpecBytesMost = off_t{64} << 20;  // far above the limits of exec

// Reads the whole file, NUL-terminated; null on an error.
char* ReadWhole(int fd, size_t* size) {
  struct stat status;
  if (fstat(fd, &status) != 0 || status.st_size > kSpecBytesMost) return nullptr;
  char* buffer = static_cast<char*>(malloc(status.st_size + 1));
  if (buffer == nullptr) return nullptr;
  size_t have = 0;
  while (have < static_cast<size_t>(status.st_size)) {
    const ssize_t got = pread(fd, buffer + have, status.st_size - have, have);
    if (got <= 0) return nullptr;
    have += got;
  }
  buffer[have] = '\0';
  *size = have;
  return buffer;
}

// The entry's value if it has this key, else null.
char* ValueOf(char* entry, const char* key) {
  const size_t length = strlen(key);
  return strncmp(entry, key, length) == 0 && entry[length] == '=' ? entry + length + 1 : nullptr;
}

bool ReadGroups(const char* text, Spec* spec) {
  size_t count = *text == '\0' ? 0 : 1;
  for (const char* c = text; *c != '\0'; ++c) count += *c == ',';
  spec->supplementary = static_cast<gid_t*>(calloc(count + 1, sizeof(gid_t)));
  if (spec->supplementary == nullptr) return false;
  char* next = const_cast<char*>(text);
  while (spec->supplementary_count < count) {
    spec->supplementary[spec->supplementary_count++] = strtoul(next, &next, 10);
    if (*next == ',') ++next;
  }
  return true;
}

struct Counts {
  size_t arguments = 0;
  size_t variables = 0;
  size_t notice_arguments = 0;
  size_t limits = 0;
};

// Adds one entry to the spec; false if it is invalid.
bool TakeEntry(char* entry, Spec* spec, Counts* filled) {
  const char* value = nullptr;
  char* text = nullptr;
  if ((text = ValueOf(entry, kVariable))) {
    spec->environment[filled->variables++] = text;
  } else if ((text = ValueOf(entry, kArgument))) {
    spec->arguments[filled->arguments++] = text;
  } else if ((text = ValueOf(entry, kNoticeArgument))) {
    spec->notice_arguments[filled->notice_arguments++] = text;
  } else if ((value = ValueOf(entry, kNoticeBefore))) {
    spec->notice_ms = strtoll(value, nullptr, 10);
  } else if ((value = ValueOf(entry, kNoticeSignal))) {
    spec->notice_signal = static_cast<int>(strtol(value, nullptr, 10));
  } else if ((value = ValueOf(entry, kProgram))) {
    spec->program = value;
  } else if ((value = ValueOf(entry, kSerial))) {
    spec->serial = strtoull(value, nullptr, 10);
  } else if ((value = ValueOf(entry, kNotAfter))) {
    spec->not_after_s = strtoll(value, nullptr, 10);
  } else if ((value = ValueOf(entry, kWalltime))) {
    spec->walltime_ms = strtoll(value, nullptr, 10);
  } else if ((value = ValueOf(entry, kWalltimeGrace))) {
    spec->walltime_grace_ms = strtoll(value, nullptr, 10);
  } else if ((value = ValueOf(entry, kStopGrace))) {
    spec->stop_grace_ms = strtoll(value, nullptr, 10);
  } else if ((value = ValueOf(entry, kUid))) {
    spec->other_account = true;
    spec->uid = strtoul(value, nullptr, 10);
  } else if ((value = ValueOf(entry, kGid))) {
    spec->gid = strtoul(value, nullptr, 10);
  } else if ((value = ValueOf(entry, kGroups))) {
    return ReadGroups(value, spec);
  } else if ((value = ValueOf(entry, kOpenFiles))) {
    spec->open_files = strtoll(value, nullptr, 10);
  } else if ((value = ValueOf(entry, kSubmitDir))) {
    spec->submit_dir = value;
  } else if ((value = ValueOf(entry, kOwnDir))) {
    spec->own_dir = value;
  } else if ((value = ValueOf(entry, kGroup2)) || (value = ValueOf(entry, kGroup1))) {
    if (spec->group_count == kGroupsMost) return false;
    spec->groups[spec->group_count++] = {value, ValueOf(entry, kGroup2) != nullptr, filled->limits,
                                         filled->limits};
  } else if ((value = ValueOf(entry, kLimit))) {
    if (spec->group_count == 0) return false;
    spec->limits[filled->limits++] = value;
    spec->groups[spec->group_count - 1].limits_to = filled->limits;
  }
  return true;
}

}  // namespace

const char* ReadSpec(int token, Spec* spec, bool* used) {
  size_t size = 0;
  *used = false;
  char* buffer = ReadWhole(token, &size);
  if (buffer == nullptr) return "its spec cannot be read";
  Counts counts;
  bool whole = false;
  for (char* entry = buffer; entry < buffer + size; entry += strlen(entry) + 1) {
    counts.arguments += ValueOf(entry, kArgument) != nullptr;
    counts.variables += ValueOf(entry, kVariable) != nullptr;
    counts.notice_arguments += ValueOf(entry, kNoticeArgument) != nullptr;
    counts.limits += ValueOf(entry, kLimit) != nullptr;
    *used = *used || ValueOf(entry, kPid) != nullptr || ValueOf(entry, kVerdict) != nullptr;
    whole = ValueOf(entry, kEnd) != nullptr;
  }
  if (!whole) return "its spec is incomplete";
  spec->arguments = static_cast<char**>(calloc(counts.arguments + 1, sizeof(char*)));
  spec->environment = static_cast<char**>(calloc(counts.variables + 1, sizeof(char*)));
  spec->notice_arguments = static_cast<char**>(calloc(counts.notice_arguments + 1, sizeof(char*)));
  spec->limits = static_cast<const char**>(calloc(counts.limits + 1, sizeof(char*)));
  if (!spec->arguments || !spec->environment || !spec->notice_arguments || !spec->limits) {
    return "no memory for its spec";
  }
  Counts filled;
  for (char* entry = buffer; entry < buffer + size; entry += strlen(entry) + 1) {
    if (!TakeEntry(entry, spec, &filled)) return "its spec does not fit this shepherd";
  }
  if (spec->program == nullptr || filled.arguments == 0) return "its spec names no program";
  if (spec->own_dir == nullptr) return "its spec names no folder to run in";
  return nullptr;
}

}  // namespace muster::shepherd
