// A part's own directory belongs to its user, so it is removed through descriptors that follow no
// links. The rest of a tree too deep or too large for one visit is removed in later rounds.
#include "site/driver/process/sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "site/driver/process/part_files.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;
constexpr int kDepthMost = 64;  // one descriptor per level

bool IsOlder(const fs::path& path, int64_t before_s) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && status.st_mtime < before_s;
}

void RemoveTree(int parent, const char* name, int depth, int& steps) {
  if (--steps < 0 || unlinkat(parent, name, 0) == 0 || depth == kDepthMost) return;
  const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  DIR* const folder = fdopendir(fd);
  while (const dirent* entry = steps > 0 ? readdir(folder) : nullptr) {
    const std::string_view child = entry->d_name;
    if (child != "." && child != "..") RemoveTree(fd, entry->d_name, depth + 1, steps);
  }
  closedir(folder);
  unlinkat(parent, name, AT_REMOVEDIR);
}

}  // namespace

bool Sweep::Continue(int64_t now_s, int steps,
                     const std::function<bool(const std::string& token)>& in_use) {
  while (steps > 0) {
    std::error_code error;
    if (!position_) {
      const char* folder = stage_ == Stage::kTries     ? "tries"
                           : stage_ == Stage::kOutputs ? "outputs"
                                                       : "parts";
      position_.emplace(fs::path(state_dir_) / folder, error);
    }
    if (error || *position_ == fs::directory_iterator()) {
      position_.reset();
      stage_ = stage_ == Stage::kTries     ? Stage::kOutputs
               : stage_ == Stage::kOutputs ? Stage::kParts
                                           : Stage::kTries;
      if (stage_ == Stage::kTries) return false;
      continue;
    }
    const fs::path path = (*position_)->path();
    position_->increment(error);
    if (error) position_.emplace();
    Visit(path, now_s, --steps, in_use);
  }
  return true;
}

void Sweep::Visit(const fs::path& path, int64_t now_s, int& steps,
                  const std::function<bool(const std::string& token)>& in_use) {
  const std::string name = path.filename();
  const int64_t before = now_s - keep_.seconds;
  switch (stage_) {
    case Stage::kTries:
      if (name[0] == '.' || !IsOlder(path, before) || in_use(name)) return;
      // The lock is tried last: even a token that is not in use may still have its shepherd.
      if (TryLock(path).lock == Lock::kHeld) return;
      RemoveFolder(path);
      steps -= 10;
      return;
    case Stage::kOutputs: {
      std::error_code error;
      if (!fs::exists(path, error)) unlink(path.c_str());
      return;
    }
    case Stage::kParts:
      if (!IsOlder(path, before)) return;
      if (fs::is_symlink(fs::path(state_dir_) / "outputs" / name)) return;
      RemoveTree(AT_FDCWD, path.c_str(), 0, steps);
      return;
  }
}

}  // namespace muster::driver
