// Removes what nobody needs any more below STATE, a little at a time: output older than its keeping
// time, the working directories that went with it, links to nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/time.h"

namespace muster::driver {

class Sweep {
 public:
  Sweep(std::string state_dir, Span keep) : state_dir_(std::move(state_dir)), keep_(keep) {}

  // Looks at or removes about `steps` files; `in_use` tells of a token that must stay. False when
  // one round over everything is complete; the next call starts another.
  bool Continue(int64_t now_s, int steps,
                const std::function<bool(const std::string& token)>& in_use);

 private:
  enum class Stage { kTries, kOutputs, kParts };
  void Visit(const std::filesystem::path& path, int64_t now_s, int& steps,
             const std::function<bool(const std::string& token)>& in_use);

  std::string state_dir_;
  Span keep_;
  Stage stage_ = Stage::kTries;
  std::optional<std::filesystem::directory_iterator> position_;
};

}  // namespace muster::driver
