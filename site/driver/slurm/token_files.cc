// A fifo or a device must not stop the daemon, so nothing is opened that waits, and only plain
// files are read.
#include "site/driver/slurm/token_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace muster::driver::slurm {
namespace {

constexpr size_t kSmallBytes = 64 << 10;

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// The size; none, with errno set, if it is no plain file.
std::optional<uint64_t> PlainSize(int fd) {
  struct stat status{};
  if (fd < 0 || fstat(fd, &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode)) {
    errno = EINVAL;
    return std::nullopt;
  }
  return static_cast<uint64_t>(status.st_size);
}

int OpenToRead(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

bool WriteWhole(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

absl::Status FileError(const std::string& what, const std::string& path) {
  return Internal("cannot " + what + " '" + path + "': " + std::strerror(errno));
}

absl::Status WriteNewFile(const std::string& path, std::string_view text, Kept kept) {
  const OpenFile file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.fd() < 0) return FileError("make", path);
  if (WriteWhole(file.fd(), text) && (kept == Kept::kAsUsual || fsync(file.fd()) == 0)) {
    return absl::OkStatus();
  }
  const absl::Status failed = FileError("write", path);
  unlink(path.c_str());
  return failed;
}

absl::Status ReplaceFile(const std::string& folder, const std::string& name,
                         std::string_view text) {
  const std::string fresh = folder + "/." + name;
  unlink(fresh.c_str());
  MUSTER_RETURN_IF_ERROR(WriteNewFile(fresh, text));
  const std::string path = folder + "/" + name;
  return rename(fresh.c_str(), path.c_str()) == 0 ? absl::OkStatus() : FileError("write", path);
}

absl::Status AppendToFile(const std::string& path, std::string_view text) {
  const OpenFile file(
      open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  const bool plain = PlainSize(file.fd()).has_value();
  return plain && WriteWhole(file.fd(), text) ? absl::OkStatus() : FileError("write", path);
}

std::optional<std::string> ReadSmallFile(const std::string& path) {
  const OpenFile file(OpenToRead(path));
  const auto size = PlainSize(file.fd());
  if (!size) return std::nullopt;
  if (*size > kSmallBytes) {
    errno = EFBIG;
    return std::nullopt;
  }
  std::string text(kSmallBytes, '\0');
  size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = read(file.fd(), text.data() + filled, text.size() - filled);
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  text.resize(filled);
  return text;
}

std::optional<OutputPiece> ReadPiece(const std::string& path, uint64_t offset, size_t limit) {
  const OpenFile file(OpenToRead(path));
  const auto size = PlainSize(file.fd());
  if (!size) return std::nullopt;
  OutputPiece piece;
  piece.data.resize(limit);
  const ssize_t got = pread(file.fd(), piece.data.data(), limit, static_cast<off_t>(offset));
  piece.data.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  piece.to_the_end = offset + piece.data.size() >= *size;
  return piece;
}

}  // namespace muster::driver::slurm
