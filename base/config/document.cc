// Positions, sections, and the choice of the reported error. The values are in value.cc.
#include "base/config/document.h"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/phrases.h"

namespace muster::config {
namespace {

constexpr size_t kFileBytes = size_t{4} << 20;  // a larger file is no configuration
// Bytes per read; most files need one or two reads.
constexpr size_t kPieceBytes = size_t{16} << 10;

constexpr const char* kCode = "config";

std::string WithArticle(std::string_view noun) {
  const bool vowel = noun.find_first_of("aeiou") == 0;
  return (vowel ? "an " : "a ") + std::string(noun);
}

// Splits toml++'s "Error while parsing key-value pair: expected …" into the error ("expected …")
// and what was parsed ("key-value pair").
std::pair<std::string, std::string> SplitDescription(std::string_view description) {
  constexpr std::string_view kFront = "Error while parsing ";
  const size_t colon = description.find(": ");
  if (!description.starts_with(kFront) || colon == std::string_view::npos) {
    return {std::string(description), ""};
  }
  return {std::string(description.substr(colon + 2)),
          "while reading " + WithArticle(description.substr(kFront.size(), colon - kFront.size()))};
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

size_t Characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Sort key of an error: its position; errors without a line come last.
std::pair<uint32_t, uint32_t> Rank(const Diagnostic& diagnostic) {
  if (!diagnostic.where || diagnostic.where->line == 0) return {UINT32_MAX, 0};
  return {diagnostic.where->line, diagnostic.where->column};
}

}  // namespace

bool Contains(const Lines& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Document::Document(std::string path, std::string_view text)
    : path_(std::move(path)), lines_(SplitLines(text)) {
  try {
    root_ = toml::parse(text, std::string_view(path_));
  } catch (const toml::parse_error& problem) {
    const auto [message, note] = SplitDescription(problem.description());
    Report(problem.source(), "malformed TOML: " + message, note);
  }
}

SourceSpan Document::Where(const toml::source_region& region) const {
  SourceSpan where{.file = path_, .line = region.begin.line, .column = region.begin.column};
  if (where.line == 0 || where.line > lines_.size()) return where;
  where.source_line = lines_[where.line - 1];
  const size_t line_end = Characters(where.source_line) + 1;
  const size_t end = region.end.line == region.begin.line ? region.end.column : line_end;
  if (end > where.column) where.length = static_cast<uint32_t>(end - where.column);
  return where;
}

void Document::Report(const toml::source_region& region, std::string message,
                      std::string caret_note, Lines help) {
  Diagnostic diagnostic{.code = kCode, .message = std::move(message), .where = Where(region)};
  diagnostic.where->caret_note = std::move(caret_note);
  diagnostic.help = std::move(help);
  Keep(std::move(diagnostic));
}

void Document::ReportFile(std::string message, Lines help) {
  Keep({.code = kCode,
        .message = std::move(message),
        .where = SourceSpan{.file = path_},
        .help = std::move(help)});
}

void Document::Keep(Diagnostic diagnostic) {
  if (!error_ || Rank(diagnostic) < Rank(*error_)) error_ = std::move(diagnostic);
}

std::string Document::Resolve(std::string_view path) const {
  const std::filesystem::path given(path);
  if (given.is_absolute()) return given.string();
  return (std::filesystem::path(path_).parent_path() / given).lexically_normal().string();
}

Section::Section(Document& document)
    : document_(&document), table_(&document.root()), region_(document.root().source()) {}

Section::Section(Document& document, std::string title, const toml::node* node)
    : document_(&document), title_(std::move(title)) {
  if (node == nullptr) return;
  region_ = node->source();
  table_ = node->as_table();
  if (table_ == nullptr) document.Report(region_, title_ + " is a section, not a single value");
}

const toml::node* Section::Find(const std::string& key) {
  accepted_.push_back(key);
  return table_ == nullptr ? nullptr : table_->get(key);
}

std::string Section::TitleOf(const std::string& key, bool list) const {
  std::string path = title_;
  std::erase_if(path, [](char c) { return c == '[' || c == ']'; });
  path += (path.empty() ? "" : ".") + key;
  return list ? "[[" + path + "]]" : "[" + path + "]";
}

Value Section::Get(const std::string& key) { return {*document_, key, Find(key)}; }

Value Section::Need(const std::string& key) {
  const toml::node* node = Find(key);
  if (node == nullptr && present()) Report(title_ + " needs '" + key + "'");
  return {*document_, key, node};
}

Section Section::GetSection(const std::string& key) {
  return {*document_, TitleOf(key, false), Find(key)};
}

Section Section::NeedSection(const std::string& key) {
  const toml::node* node = Find(key);
  if (node == nullptr && present()) {
    title_.empty() ? document_->ReportFile(TitleOf(key, false) + " is missing")
                   : Report(title_ + " needs '" + key + "'");
  }
  return {*document_, TitleOf(key, false), node};
}

std::vector<Section> Section::GetSections(const std::string& key) {
  std::vector<Section> out;
  const toml::node* node = Find(key);
  if (node == nullptr) return out;
  const std::string title = TitleOf(key, true);
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    document_->Report(node->source(), "'" + key + "' is a list: write " + title);
    return out;
  }
  for (const toml::node& element : *list) out.emplace_back(*document_, title, &element);
  return out;
}

std::vector<Value> Section::All(std::vector<std::string>& names) {
  std::vector<Value> out;
  if (table_ == nullptr) return out;
  for (const auto& [key, node] : *table_) {
    names.emplace_back(key.str());
    out.push_back(Get(names.back()));
  }
  return out;
}

void Section::Report(std::string message, Lines help) {
  document_->Report(region_, std::move(message), "", std::move(help));
}

toml::source_region Section::KeyRegion(std::string_view key) const {
  for (const auto& [name, node] : *table_) {
    if (name.str() == key) return name.source();
  }
  return region_;
}

void Section::Finish() {
  if (table_ == nullptr) return;
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    const auto is_name = [&name](const std::string& other) { return other == name; };
    if (std::any_of(accepted_.begin(), accepted_.end(), is_name)) continue;
    document_->Report(key.source(), "unknown name '" + name + "'", DidYouMean(name, accepted_),
                      {"accepted here: " + Joined(accepted_)});
  }
}

Diagnosed<std::string> ReadFile(const std::string& path) {
  const auto refuse = [&path](const std::string& why) {
    return Diagnostic{.code = kCode, .message = "cannot read " + path + ": " + why};
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return refuse("it is a folder");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse(std::strerror(errno));
  std::string text;
  while (file && text.size() <= kFileBytes) {
    const size_t before = text.size();
    text.resize(before + kPieceBytes);
    file.read(text.data() + before, static_cast<std::streamsize>(kPieceBytes));
    text.resize(before + static_cast<size_t>(file.gcount()));
  }
  if (file.bad()) return refuse("reading failed");
  if (text.size() > kFileBytes) return refuse("it is larger than 4mb, no configuration is");
  return text;
}

}  // namespace muster::config
