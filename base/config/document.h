// Reading of a TOML file: its values with their positions, and its first error. Only for the
// sources of this folder; no other header includes toml++.
//
// After an error, reading continues with defaults, so that readers are plain lists of keys. The
// error reported in the end is the one that comes first in the file.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/time.h"

namespace muster::config {

using Lines = std::vector<std::string>;

inline constexpr Span kDay{86400};
inline constexpr Span kYear{366 * kDay.seconds};

bool Contains(const Lines& names, const std::string& name);

class Document {
 public:
  // `path` is shown as given; relative paths in the file are relative to its folder.
  Document(std::string path, std::string_view text);

  const toml::table& root() const { return root_; }
  // The error that comes first in the file, if any.
  const std::optional<Diagnostic>& error() const { return error_; }

  SourceSpan Where(const toml::source_region& region) const;
  void Report(const toml::source_region& region, std::string message, std::string caret_note = "",
              Lines help = {});
  // Reports an error of the file as a whole; used only if no error has a position.
  void ReportFile(std::string message, Lines help = {});
  // Resolves `path` relative to the file's folder.
  std::string Resolve(std::string_view path) const;

 private:
  void Keep(Diagnostic diagnostic);

  const std::string path_;
  std::vector<std::string> lines_;
  toml::table root_;
  std::optional<Diagnostic> error_;
};

// One value, possibly absent. Each As function returns the value in its type. If the value is
// wrong, it reports why and returns none; if absent, it returns none without a report.
class Value {
 public:
  Value(Document& document, std::string key, const toml::node* node)
      : document_(&document), key_(std::move(key)), node_(node) {}

  explicit operator bool() const { return node_ != nullptr; }
  const toml::node* node() const { return node_; }
  SourceSpan where() const { return document_->Where(node_->source()); }
  void Report(std::string message, std::string caret_note = "", Lines help = {}) const;
  // Reports a diagnostic of a parser of this text; its columns count from the text's first byte.
  void ReportInside(const Diagnostic& diagnostic) const;

  std::optional<std::string> AsText() const;                // not empty
  std::optional<std::string> AsName() const;                // of a site, user, queue
  std::optional<std::string> AsPath() const;                // relative to the file's folder
  std::optional<std::string> AsPublicKey() const;           // 40 characters of Z85
  std::optional<std::string> AsEndpoint(bool binds) const;  // tcp://HOST:PORT
  std::optional<std::string> AsChoice(const Lines& choices, const Lines& not_yet = {}) const;
  std::optional<bool> AsBool() const;
  std::optional<int64_t> AsInteger(int64_t least, int64_t most) const;
  std::optional<double> AsFraction() const;                 // more than 0, less than 1
  std::optional<int> AsPercent(int least, int most) const;  // "80%"
  std::optional<int64_t> AsSize() const;
  std::optional<Span> AsSpan(Span least, Span most) const;
  std::optional<BootSpan> AsBootSpan(BootSpan least, BootSpan most) const;
  std::vector<Value> AsList() const;
  // Expands "n[9-16],g[1-2]" to names; duplicates are an error.
  std::optional<Lines> AsNames() const;

 private:
  std::optional<std::string> WrongType(std::string_view wanted) const;

  Document* document_;
  std::string key_;
  const toml::node* node_;
};

// One table. Accepts the keys that a reader asks for; Finish reports all other keys.
class Section {
 public:
  // The root table.
  explicit Section(Document& document);
  Section(Document& document, std::string title, const toml::node* node);

  // False if the table is absent or is no table.
  bool present() const { return table_ != nullptr; }
  const std::string& title() const { return title_; }  // "[meta]", for messages
  uint32_t line() const { return region_.begin.line; }
  Value Get(const std::string& key);
  // As Get, but reports a missing key.
  Value Need(const std::string& key);
  Section GetSection(const std::string& key);
  Section NeedSection(const std::string& key);
  // The tables [[key]], in order.
  std::vector<Section> GetSections(const std::string& key);
  // All values of a table with arbitrary keys; sets `names` to the keys.
  std::vector<Value> All(std::vector<std::string>& names);
  void Report(std::string message, Lines help = {});
  toml::source_region KeyRegion(std::string_view key) const;
  void Finish();

 private:
  const toml::node* Find(const std::string& key);
  std::string TitleOf(const std::string& key, bool list) const;

  Document* document_;
  std::string title_;
  const toml::table* table_ = nullptr;
  toml::source_region region_;
  Lines accepted_;
};

template <class T>
void Set(T& target, std::optional<T> value) {
  if (value) target = *std::move(value);
}

// The text of the file, or why it cannot be read.
Diagnosed<std::string> ReadFile(const std::string& path);

}  // namespace muster::config
