// Append-only recording files of a daemon: a sequence of byte frames, read after the daemon has
// ended. Killing the daemon tears at most the last frame; all earlier frames stay readable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::io {

// Maximum size of a file. A file that has reached it takes no more frames; the daemon's next start
// begins another file. Old frames cannot be dropped instead, because later ones cannot be
// understood without them.
inline constexpr uint64_t kRecordingBytes = uint64_t{256} << 20;
// Number of recordings kept per daemon, the newest. Each start begins one and deletes the oldest.
inline constexpr size_t kRecordingsKept = 8;

class Recording {
 public:
  // Begins FOLDER/NUMBER.turns, with NUMBER one above the highest present. Creates the folder and
  // deletes all but the newest recordings. The file contains secrets, so only its owner can read
  // it. Errors: the file cannot be created.
  static absl::StatusOr<Recording> Begin(const std::string& folder,
                                         uint64_t limit = kRecordingBytes);
  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&& other) noexcept;
  ~Recording();

  const std::string& path() const { return path_; }

  // Appends one frame. The frame survives a crash of the process, but not of the machine. Errors:
  // the limit would be exceeded, or the frame was not written completely; the recording then takes
  // no more frames.
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
  uint64_t torn = 0;  // bytes at the end that form no complete frame
};

// Reads all frames of a recording. Errors: the file cannot be read, or is not a recording.
absl::StatusOr<RecordedFrames> ReadRecording(const std::string& path);

}  // namespace muster::io
