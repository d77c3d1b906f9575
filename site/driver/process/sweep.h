// Removes unneeded files below STATE, a few at a time: expired output, the working directories that
// belong to it, dangling links.
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

  // Examines or removes about `steps` files. `in_use`: whether a token must stay. Returns false
  // when a full round is complete; the next call starts another.
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
