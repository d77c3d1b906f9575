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
#include <string>
#include <string_view>
#include <vector>

namespace muster::scenario {

// One command: "name argument argument key=value key=value".
struct Command {
  std::string name;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> options;
  std::string line;  // as written

  bool Has(const std::string& key) const { return options.contains(key); }
  std::string Get(const std::string& key, const std::string& otherwise) const;
  int64_t Number(const std::string& key, int64_t otherwise) const;
};
Command ParseCommand(std::string_view line);

// "a,b" -> {"a", "b"}; "" -> {}.
std::vector<std::string> Split(std::string_view text, char at);
// Whole number; fails the program on anything else, since a scenario is ours.
int64_t ToNumber(const std::string& text);

// Runs each block of the file through `run`, which gives the lines of its trace, and compares or
// rewrites. Reports differences as test failures.
void RunScenario(const std::string& path,
                 const std::function<std::vector<std::string>(const Command&)>& run);

}  // namespace muster::scenario
