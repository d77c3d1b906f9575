// Reads the cases of tests/golden. A case contains only its differences from a base;
// tests/golden/README.md has the rules.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/json.h"

namespace muster::cli::views {

class GoldenCases {
 public:
  explicit GoldenCases(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The names of all cases in the folder, sorted: *.json without the ending; bases.json is left
  // out.
  std::vector<std::string> Names() const;
  // The case with bases and repetitions expanded. An error names the file, the place and the fault:
  // "show.json, document.job: no base 'jub'".
  absl::StatusOr<Json> Read(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace muster::cli::views
