// See script.h.
#include "tests/scenario/script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/check.h"

namespace muster::scenario {
namespace {

constexpr char kRule[] = "----";

struct Block {
  std::vector<std::string> commands;  // and comments, as written
  int first_line = 0;                 // of the commands, which stand without a gap
  std::vector<std::string> expected;
  bool has_trace = false;
};

std::vector<Block> ReadBlocks(const std::string& path) {
  std::ifstream file(path);
  MUSTER_CHECK(file.good());
  std::vector<Block> blocks(1);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty()) {
      if (!blocks.back().commands.empty()) blocks.emplace_back();
      continue;
    }
    Block& block = blocks.back();
    if (block.commands.empty()) block.first_line = number;
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

bool Command::Has(const std::string& key) const {
  asked.insert(key);
  return options.contains(key);
}

std::string Command::Get(const std::string& key, const std::string& otherwise) const {
  return Has(key) ? options.at(key) : otherwise;
}

int64_t Command::Number(const std::string& key, int64_t otherwise) const {
  return Has(key) ? ToNumber(options.at(key)) : otherwise;
}

const std::string& Command::Argument(size_t index) const {
  if (index < arguments.size()) return arguments[index];
  throw BadLine("'" + name + "' wants " + std::to_string(index + 1) + " words after it");
}

void Command::CheckOptions() const {
  for (const auto& [key, value] : options) {
    if (!asked.contains(key)) throw BadLine("'" + name + "' knows no " + key + "=");
  }
}

int64_t ToNumber(const std::string& text) {
  char* end = nullptr;
  const int64_t number = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0') throw BadLine("'" + text + "' is no whole number");
  return number;
}

Fence FenceOf(const std::string& text) {
  const auto pieces = Split(text, '.');
  if (pieces.size() != 2) throw BadLine("'" + text + "' is no fence: right is 1.2");
  return {{uint64_t(ToNumber(pieces[0]))}, uint64_t(ToNumber(pieces[1]))};
}

std::vector<std::string> ScenarioFiles(const std::string& folder) {
  const char* root = std::getenv("MUSTER_SOURCE_DIR");
  const std::filesystem::path path =
      std::filesystem::path(root == nullptr ? "." : root) / "tests" / "scenario" / folder;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
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
      const std::string key = word.substr(0, equals);
      if (!command.options.emplace(key, word.substr(equals + 1)).second) {
        throw BadLine(key + "= stands twice");
      }
    } else {
      command.arguments.push_back(word);
    }
  }
  return command;
}

namespace {

using Runs = std::function<std::vector<std::string>(const Command&)>;

// The trace of a block's commands; none, and a failure told, where one means nothing.
std::optional<std::vector<std::string>> TraceOfBlock(const std::string& path, const Block& block,
                                                     const Runs& run) {
  std::vector<std::string> trace;
  for (size_t i = 0; i < block.commands.size(); ++i) {
    const std::string& line = block.commands[i];
    if (IsComment(line)) continue;
    try {
      const Command command = ParseCommand(line);
      for (std::string& said : run(command)) trace.push_back(std::move(said));
      command.CheckOptions();
    } catch (const std::exception& bad) {
      ADD_FAILURE() << path << ":" << block.first_line + int(i) << ": " << bad.what() << ": "
                    << line;
      return std::nullopt;
    }
  }
  return trace;
}

}  // namespace

void RunScenario(const std::string& path, const Runs& run) {
  const bool rewrite = std::getenv("MUSTER_GOLDEN_WRITE") != nullptr;
  std::string rewritten;
  for (const Block& block : ReadBlocks(path)) {
    const auto trace = TraceOfBlock(path, block, run);
    if (!trace) return;
    if (rewrite) {
      const bool runs = !std::all_of(block.commands.begin(), block.commands.end(), IsComment);
      if (!rewritten.empty()) rewritten += "\n";
      rewritten += ToText(block.commands);
      if (runs) rewritten += std::string(kRule) + "\n" + ToText(*trace);
      continue;
    }
    EXPECT_EQ(ToText(*trace), ToText(block.expected))
        << "in " << path << " after:\n"
        << ToText(block.commands) << "(MUSTER_GOLDEN_WRITE=1 rewrites the file)";
  }
  if (rewrite) std::ofstream(path) << rewritten;
}

}  // namespace muster::scenario
