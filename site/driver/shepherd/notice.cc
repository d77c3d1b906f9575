// See notice.h. If the notice's command cannot be run, the part's standard error says so, and the
// part goes on.
#include "site/driver/shepherd/notice.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "site/driver/shepherd/launch.h"
#include "site/driver/shepherd/part_folder.h"
#include "site/driver/shepherd/record.h"

namespace muster::shepherd {
namespace {

constexpr size_t kVariableBytes = 64;  // MUSTER_ENDS_BY=2026-11-19T14:00:00Z

bool IsEndsBy(const char* variable) {
  const size_t length = strlen(kEndsByVariable);
  return strncmp(variable, kEndsByVariable, length) == 0 && variable[length] == '=';
}

void WriteEndsBy(char* text, int64_t left_ms) {
  const time_t at = (WallMs() + left_ms) / 1000;
  tm broken;
  gmtime_r(&at, &broken);
  const int length = snprintf(text, kVariableBytes, "%s=", kEndsByVariable);
  strftime(text + length, kVariableBytes - length, "%Y-%m-%dT%H:%M:%SZ", &broken);
}

}  // namespace

void Notice::Give(pid_t command, int64_t left_ms) const {
  if (spec_.notice_signal > 0) kill(-command, spec_.notice_signal);
  if (spec_.notice_arguments[0] != nullptr) RunCommand(left_ms);
}

void Notice::RunCommand(int64_t left_ms) const {
  size_t count = 0;
  while (spec_.environment[count] != nullptr) ++count;
  char** environment = static_cast<char**>(calloc(count + 2, sizeof(char*)));
  if (environment == nullptr) return;
  char ends_by[kVariableBytes];
  WriteEndsBy(ends_by, left_ms);
  size_t kept = 0;
  for (char** variable = spec_.environment; *variable != nullptr; ++variable) {
    if (!IsEndsBy(*variable)) environment[kept++] = *variable;
  }
  environment[kept] = ends_by;
  Spec spec = spec_;
  spec.program = spec_.notice_arguments[0];
  spec.arguments = spec_.notice_arguments;
  spec.environment = environment;
  const Launched launched = Launch(spec, home_.where, home_.stdout_fd, home_.stderr_fd);
  free(environment);
  if (launched.error == 0) return;
  dprintf(home_.stderr_fd, "muster: cannot run the notice '%.512s': %s\n", spec.program,
          strerror(launched.error));
}

}  // namespace muster::shepherd
