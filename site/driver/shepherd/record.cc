// Marks and records are small and written by one write each; only the exit record needs to be whole to be believed.
#include "site/driver/shepherd/record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
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

// Lines "key=value" in a buffer that is large enough for all of them.
class Lines {
 public:
  void Add(const char* key, const char* value) {
    size_ += snprintf(text_ + size_, sizeof(text_) - size_, "%s=%.1024s\n", key, value);
  }
  void Add(const char* key, int64_t value) {
    size_ += snprintf(text_ + size_, sizeof(text_) - size_, "%s=%" PRId64 "\n", key, value);
  }
  bool Write(int fd) const { return write(fd, text_, size_) == static_cast<ssize_t>(size_); }

 private:
  char text_[kRecordBytes];
  size_t size_ = 0;
};

}  // namespace

int64_t WallMs() { return ReadClock(CLOCK_REALTIME); }
int64_t BootMs() { return ReadClock(CLOCK_BOOTTIME); }

bool MarkStarted(int folder, int64_t at_ms) {
  const int fd = openat(folder, kStartedFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  Lines lines;
  lines.Add(kAtMs, at_ms);
  const bool whole = lines.Write(fd);
  close(fd);
  return whole;
}

bool WriteEnding(int folder, const Ending& ending) {
  Lines lines;
  lines.Add(kBy, ending.by);
  if (ending.code >= 0) lines.Add(kCode, ending.code);
  if (ending.signal > 0) lines.Add(kSignal, ending.signal);
  if (ending.started_ms >= 0) lines.Add(kStartedMs, ending.started_ms);
  lines.Add(kEndedMs, ending.ended_ms);
  lines.Add(kElapsedMs, ending.elapsed_ms);
  if (ending.cpu_ms >= 0) lines.Add(kCpuMs, ending.cpu_ms);
  if (ending.max_rss_bytes >= 0) lines.Add(kMaxRss, ending.max_rss_bytes);
  lines.Add(kText, ending.text);
  lines.Add(kEnd, "");
  const int fd = openat(folder, kExitNewFile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool whole = lines.Write(fd);
  close(fd);
  return whole && renameat(folder, kExitNewFile, folder, kExitFile) == 0;
}

}  // namespace muster::shepherd
