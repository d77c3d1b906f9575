// Reads /proc/PID/stat of all processes and collects the descendants of this one.
#include "site/driver/shepherd/family.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace muster::shepherd {
namespace {

struct Process {
  pid_t pid;
  pid_t parent;
  pid_t group;
  char state;  // 'T': stopped, 'Z': over
  bool ours;
};

// "PID (NAME) STATE PARENT GROUP ..."; NAME may contain anything, so its end is the last bracket.
bool ReadProcess(int proc, const char* name, Process* process) {
  char path[64];
  snprintf(path, sizeof(path), "%.20s/stat", name);
  const int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[512];
  const ssize_t got = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (got <= 0) return false;
  text[got] = '\0';
  const char* bracket = strrchr(text, ')');
  if (bracket == nullptr) return false;
  process->pid = atoi(name);
  process->ours = false;
  return sscanf(bracket + 1, " %c %d %d", &process->state, &process->parent, &process->group) == 3;
}

Process* ReadAll(size_t* count) {
  *count = 0;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return nullptr;
  size_t room = 0;
  Process* all = nullptr;
  while (const dirent* entry = readdir(proc)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (*count == room) {
      room = room == 0 ? 1024 : 2 * room;
      void* larger = realloc(all, room * sizeof(Process));
      if (larger == nullptr) break;
      all = static_cast<Process*>(larger);
    }
    if (ReadProcess(dirfd(proc), entry->d_name, &all[*count])) ++*count;
  }
  closedir(proc);
  return all;
}

bool IsOurs(const Process* all, size_t count, pid_t pid) {
  for (size_t i = 0; i < count; ++i) {
    if (all[i].pid == pid) return all[i].ours;
  }
  return false;
}

// All processes, of which those that are `ours` descend from this one. The caller frees them.
Process* ReadOurs(size_t* count) {
  Process* all = ReadAll(count);
  const pid_t self = getpid();
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < *count; ++i) {
      Process& process = all[i];
      if (process.ours || process.pid == self) continue;
      if (process.parent != self && !IsOurs(all, *count, process.parent)) continue;
      process.ours = true;
      grown = true;
    }
  }
  return all;
}

}  // namespace

void SignalDescendants(int signal, pid_t except) {
  size_t count = 0;
  Process* all = ReadOurs(&count);
  for (size_t i = 0; i < count; ++i) {
    if (!all[i].ours || (except != 0 && all[i].group == except)) continue;
    kill(all[i].pid, signal);
    if (signal == SIGTERM) kill(all[i].pid, SIGCONT);  // wakes stopped processes for TERM
  }
  free(all);
}

bool StopDescendants() {
  size_t count = 0;
  Process* all = ReadOurs(&count);
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    if (!all[i].ours || all[i].state == 'T' || all[i].state == 'Z') continue;
    any = kill(all[i].pid, SIGSTOP) == 0 || any;
  }
  free(all);
  return any;
}

}  // namespace muster::shepherd
