// File format: kMagic, then frames. A frame is its length (4 bytes, little-endian), a checksum (8
// bytes, FNV-1a), and its bytes.
#include "base/io/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

namespace muster::io {
namespace {

constexpr std::string_view kMagic = "muster turns 1\n";
constexpr std::string_view kEnding = ".turns";
constexpr size_t kHead = 12;  // bytes before each frame
constexpr size_t kDigits = 6;

uint64_t ChecksumOf(std::string_view bytes) {
  uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes) sum = (sum ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return sum;
}

void PutLittle(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

uint64_t GetLittle(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

// Parses the number of "000017.turns".
std::optional<uint64_t> NumberOf(const std::string& name) {
  uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc() || std::string_view(at, end - at) != kEnding) return std::nullopt;
  return number;
}

// The recordings in a folder, by number.
std::map<uint64_t, std::filesystem::path> Earlier(const std::string& folder,
                                                  std::error_code& error) {
  std::map<uint64_t, std::filesystem::path> found;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (const auto number = NumberOf(at->path().filename().string())) found[*number] = at->path();
  }
  return found;
}

}  // namespace

absl::StatusOr<Recording> Recording::Begin(const std::string& folder, uint64_t limit) {
  const auto fail = [&folder](const std::string& why) {
    return Unavailable("cannot record turns in " + folder + ": " + why);
  };
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::map<uint64_t, std::filesystem::path> earlier = Earlier(folder, error);
  if (error) return fail(error.message());
  const uint64_t number = earlier.empty() ? 1 : earlier.rbegin()->first + 1;
  std::string name = std::to_string(number);
  if (name.size() < kDigits) name.insert(0, kDigits - name.size(), '0');
  std::string path = folder + "/" + name + std::string(kEnding);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail(std::strerror(errno));
  Recording recording(std::move(path), file, limit);
  MUSTER_RETURN_IF_ERROR(recording.Write(kMagic));
  for (; earlier.size() >= kRecordingsKept; earlier.erase(earlier.begin())) {
    std::filesystem::remove(earlier.begin()->second, error);
  }
  return recording;
}

Recording::Recording(Recording&& other) noexcept { *this = std::move(other); }

Recording& Recording::operator=(Recording&& other) noexcept {
  if (this == &other) return *this;
  Close();
  path_ = std::move(other.path_);
  file_ = std::exchange(other.file_, -1);
  limit_ = other.limit_;
  size_ = other.size_;
  return *this;
}

Recording::~Recording() { Close(); }

void Recording::Close() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

absl::Status Recording::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const std::string why = written < 0 ? std::strerror(errno) : "nothing was written";
      Close();
      return Unavailable(path_ + ": " + why);
    }
    size_ += static_cast<uint64_t>(written);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status Recording::Add(std::string_view frame) {
  if (file_ < 0) return Unavailable(path_ + " is over");
  if (size_ + kHead + frame.size() > limit_) {
    Close();
    return Unavailable(path_ + " has reached its limit of " + std::to_string(limit_) + " bytes");
  }
  std::string bytes;
  bytes.reserve(kHead + frame.size());
  PutLittle(bytes, frame.size(), 4);
  PutLittle(bytes, ChecksumOf(frame), 8);
  bytes += frame;
  return Write(bytes);
}

absl::StatusOr<RecordedFrames> ReadRecording(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) return NotFound("cannot read " + path);
  const std::string bytes = std::move(text).str();
  if (!bytes.starts_with(kMagic)) return InvalidArgument(path + " is no recording of turns");
  std::string_view rest = std::string_view(bytes).substr(kMagic.size());
  RecordedFrames out;
  while (rest.size() >= kHead) {
    const uint64_t length = GetLittle(rest.substr(0, 4));
    if (length > rest.size() - kHead) break;
    const std::string_view frame = rest.substr(kHead, length);
    if (ChecksumOf(frame) != GetLittle(rest.substr(4, 8))) break;
    out.frames.emplace_back(frame);
    rest.remove_prefix(kHead + length);
  }
  out.torn = rest.size();
  return out;
}

}  // namespace muster::io
