// Marks and records are small and each is appended by one write, so that it is complete unless the
// disk is full.
#include "site/driver/shepherd/record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "site/driver/shepherd/part_folder.h"

namespace muster::shepherd {
namespace {

constexpr size_t kRecordBytes = 2048;

int64_t ReadClock(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Collects "key=value" entries in a buffer large enough for all of them.
class Entries {
 public:
  void Add(const char* key, const char* value) {
    size_ += snprintf(text_ + size_, sizeof(text_) - size_, "%s=%.1024s", key, value) + 1;
  }
  void Add(const char* key, int64_t value) {
    size_ += snprintf(text_ + size_, sizeof(text_) - size_, "%s=%" PRId64, key, value) + 1;
  }
  bool Write(int fd) const { return write(fd, text_, size_) == static_cast<ssize_t>(size_); }

 private:
  char text_[kRecordBytes];
  size_t size_ = 0;
};

}  // namespace

int64_t WallMs() { return ReadClock(CLOCK_REALTIME); }
int64_t BootMs() { return ReadClock(CLOCK_BOOTTIME); }

bool WritePid(int token) {
  Entries entries;
  entries.Add(kPid, getpid());
  return entries.Write(token);
}

bool MarkStarted(int token, int64_t at_ms) {
  Entries entries;
  entries.Add(kStartedAt, at_ms);
  return entries.Write(token);
}

bool WriteEnding(int token, const Ending& ending) {
  Entries entries;
  entries.Add(kBy, ending.by);
  if (ending.code >= 0) entries.Add(kCode, ending.code);
  if (ending.signal > 0) entries.Add(kSignal, ending.signal);
  if (ending.started_ms >= 0) entries.Add(kStartedMs, ending.started_ms);
  entries.Add(kEndedMs, ending.ended_ms);
  entries.Add(kElapsedMs, ending.elapsed_ms);
  if (ending.cpu_ms >= 0) entries.Add(kCpuMs, ending.cpu_ms);
  if (ending.max_rss_bytes >= 0) entries.Add(kMaxRss, ending.max_rss_bytes);
  entries.Add(kText, ending.text);
  entries.Add(kOver, "");
  return entries.Write(token);
}

int64_t ReadLimit(int folder) {
  const int file = openat(folder, kLimitFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return 0;
  char text[32];
  const ssize_t got = read(file, text, sizeof(text) - 1);
  close(file);
  if (got <= 0) return 0;
  text[got] = '\0';
  return strtoll(text, nullptr, 10);
}

}  // namespace muster::shepherd
