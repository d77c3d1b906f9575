// Scenario texts: blocks of commands with the trace they must give.
//
//   # words for people
//   welcome epoch=1
//   hold 1.1 request=42 cpus=2
//   ----
//   write site
//   say report ...
//
// A block ends at an empty line. With MUSTER_GOLDEN_WRITE=1 the texts are rewritten with the traces
// they give now, so that a change of behaviour is reviewed as a difference.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace muster::scenario {

// A line that means nothing: thrown where it is read, and told with file and line by RunScenario,
// which then leaves the file as it is.
class BadLine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One command: "name argument argument key=value key=value".
struct Command {
  std::string name;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> options;
  std::string line;  // as written

  mutable std::set<std::string> asked;  // options that were looked for

  bool Has(const std::string& key) const;
  std::string Get(const std::string& key, const std::string& otherwise) const;
  int64_t Number(const std::string& key, int64_t otherwise) const;
  // Throws BadLine if there is no argument of this index.
  const std::string& Argument(size_t index) const;
  // Throws BadLine if it has an option that nobody looked for.
  void CheckOptions() const;
};
// Throws BadLine.
Command ParseCommand(std::string_view line);

// "a,b" -> {"a", "b"}; "" -> {}.
std::vector<std::string> Split(std::string_view text, char at);
// A whole number, and a fence such as "1.2". Both throw BadLine.
int64_t ToNumber(const std::string& text);
Fence FenceOf(const std::string& text);

// The texts in a folder of tests/scenario/, by name.
std::vector<std::string> ScenarioFiles(const std::string& folder);

// Runs each block of the file through `run`, which gives the lines of its trace, and compares or
// rewrites. Reports differences and lines that mean nothing as test failures.
void RunScenario(const std::string& path,
                 const std::function<std::vector<std::string>(const Command&)>& run);

}  // namespace muster::scenario
