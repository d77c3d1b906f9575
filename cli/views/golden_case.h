// Reads the cases of tests/golden. A case says what differs from a base, so that its reader sees
// just that; tests/golden/README.md has the rules.
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

  // All cases of the folder, sorted: its *.json without the ending and without the bases.
  std::vector<std::string> Names() const;
  // The case with its bases and repetitions written out. An error names the file, the place in it
  // and what is wrong there: "show.json, document.job: no base 'jub'".
  absl::StatusOr<Json> Read(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace muster::cli::views
