// See script.h.
#include "tests/scenario/script.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/check.h"

namespace muster::scenario {
namespace {

constexpr char kRule[] = "----";

struct Block {
  std::vector<std::string> commands;  // and comments, as written
  std::vector<std::string> expected;
  bool has_trace = false;
};

std::vector<Block> ReadBlocks(const std::string& path) {
  std::ifstream file(path);
  MUSTER_CHECK(file.good());
  std::vector<Block> blocks(1);
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty()) {
      if (!blocks.back().commands.empty()) blocks.emplace_back();
      continue;
    }
    Block& block = blocks.back();
    if (line == kRule) {
      block.has_trace = true;
    } else {
      (block.has_trace ? block.expected : block.commands).push_back(line);
    }
  }
  if (blocks.back().commands.empty()) blocks.pop_back();
  return blocks;
}

std::string ToText(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

bool IsComment(const std::string& line) { return line.starts_with("#"); }

}  // namespace

std::string Command::Get(const std::string& key, const std::string& otherwise) const {
  const auto it = options.find(key);
  return it == options.end() ? otherwise : it->second;
}

int64_t Command::Number(const std::string& key, int64_t otherwise) const {
  return Has(key) ? ToNumber(options.at(key)) : otherwise;
}

int64_t ToNumber(const std::string& text) {
  char* end = nullptr;
  const int64_t number = std::strtoll(text.c_str(), &end, 10);
  MUSTER_CHECK(!text.empty() && *end == '\0');
  return number;
}

std::vector<std::string> Split(std::string_view text, char at) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const size_t end = std::min(text.find(at), text.size());
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

Command ParseCommand(std::string_view line) {
  Command command{.line = std::string(line)};
  for (const std::string& word : Split(line, ' ')) {
    if (word.empty()) continue;
    const size_t equals = word.find('=');
    if (command.name.empty()) {
      command.name = word;
    } else if (equals != std::string::npos) {
      command.options[word.substr(0, equals)] = word.substr(equals + 1);
    } else {
      command.arguments.push_back(word);
    }
  }
  return command;
}

void RunScenario(const std::string& path,
                 const std::function<std::vector<std::string>(const Command&)>& run) {
  const bool rewrite = std::getenv("MUSTER_GOLDEN_WRITE") != nullptr;
  std::string rewritten;
  for (const Block& block : ReadBlocks(path)) {
    std::vector<std::string> trace;
    bool runs = false;
    for (const std::string& line : block.commands) {
      if (IsComment(line)) continue;
      runs = true;
      for (std::string& said : run(ParseCommand(line))) trace.push_back(std::move(said));
    }
    if (rewrite) {
      if (!rewritten.empty()) rewritten += "\n";
      rewritten += ToText(block.commands);
      if (runs) rewritten += std::string(kRule) + "\n" + ToText(trace);
      continue;
    }
    EXPECT_EQ(ToText(trace), ToText(block.expected))
        << "in " << path << " after:\n"
        << ToText(block.commands) << "(MUSTER_GOLDEN_WRITE=1 rewrites the file)";
  }
  if (rewrite) std::ofstream(path) << rewritten;
}

}  // namespace muster::scenario
