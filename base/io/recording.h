// Files that a daemon adds to and that are read only after it: frames of bytes, one behind the
// other. A daemon that is killed leaves at most a torn last frame, and the file is good up to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::io {

// One file. Beyond this nothing more is recorded until the daemon's next start: what follows
// cannot be understood without what is before it, so an old part cannot be given up for a new one.
inline constexpr uint64_t kRecordingBytes = uint64_t{256} << 20;
// Files of one daemon, the newest; each start begins one and takes the oldest away.
inline constexpr size_t kRecordingsKept = 8;

class Recording {
 public:
  // Begins FOLDER/NUMBER.turns, NUMBER one higher than any there; makes the folder, keeps the
  // newest. Only its owner can read it: it has secrets. Errors: no such file can be made.
  static absl::StatusOr<Recording> Begin(const std::string& folder,
                                         uint64_t limit = kRecordingBytes);
  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&& other) noexcept;
  ~Recording();

  const std::string& path() const { return path_; }

  // Adds one frame; it outlives this process, not the machine. Errors: it would be more than the
  // limit, or was not written whole. Then the recording is over: nothing can be added any more.
  absl::Status Add(std::string_view frame);

 private:
  Recording(std::string path, int file, uint64_t limit)
      : path_(std::move(path)), file_(file), limit_(limit) {}
  absl::Status Write(std::string_view bytes);
  void Close();

  std::string path_;
  int file_ = -1;
  uint64_t limit_ = 0;
  uint64_t size_ = 0;
};

struct RecordedFrames {
  std::vector<std::string> frames;
  uint64_t torn = 0;  // bytes at the end that are no whole frame
};

// What was recorded. Errors: the file cannot be read, or is no recording.
absl::StatusOr<RecordedFrames> ReadRecording(const std::string& path);

}  // namespace muster::io
