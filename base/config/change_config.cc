// One section of the file is one change; which keys it has depends on what is done.
#include "base/config/change_config.h"

#include <toml++/toml.h>

#include <utility>

#include "base/config/document.h"

namespace muster::config {
namespace {

const Lines kTodos = {"set",    "add",  "remove",  "submit", "reserve", "alter",
                      "cancel", "hold", "release", "drain",  "resume",  "deposit"};

// What stands at this region of the text: columns count characters, from 1.
std::string TextAt(std::string_view text, const toml::source_region& region) {
  toml::source_position at{1, 1};
  std::string out;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;  // of a character
    const bool begun =
        std::pair(at.line, at.column) >= std::pair(region.begin.line, region.begin.column);
    const bool over =
        std::pair(at.line, at.column) >= std::pair(region.end.line, region.end.column);
    if (over && !continues) break;
    if (begun) out += c;
    if (c == '\n') {
      at = {at.line + 1, 1};
    } else if (!continues) {
      ++at.column;
    }
  }
  return out;
}

void ReadOfFile(Section& section, std::string_view text, ChangeConfig& change) {
  Set(change.at, section.Need("at").AsName());
  if (change.todo == "add") return Set(change.add, section.Need("text").AsText());
  Set(change.path, section.Need("path").AsText());
  if (change.todo != "set") return;
  if (const Value to = section.Need("to")) change.to = TextAt(text, to.node()->source());
}

void ReadOneChange(Section& section, std::string_view text, ChangesConfig& out) {
  ChangeConfig change{.line = section.line()};
  const Value todo = section.Need("do");
  Set(change.todo, todo.AsChoice(kTodos));
  if (change.todo == "set" || change.todo == "add" || change.todo == "remove") {
    ReadOfFile(section, text, change);
  } else if (!change.todo.empty()) {
    Set(change.words, section.Need("words").AsText());
  }
  Set(change.when, section.Get("when").AsText());
  section.Finish();
  out.changes.push_back(std::move(change));
}

}  // namespace

Diagnosed<ChangesConfig> ParseChangesConfig(const std::string& path, std::string_view text) {
  Document document(path, text);
  if (document.error()) return *document.error();
  ChangesConfig out{.path = path};
  Section root(document);
  std::vector<Section> sections = root.GetSections("change");
  if (sections.empty()) {
    document.ReportFile("[[change]] is missing",
                        {"as in [[change]] do = \"drain\", words = \"lakes/n1 --hard\""});
  }
  if (sections.size() > kMostChanges) {
    sections[kMostChanges].Report("more than " + std::to_string(kMostChanges) + " changes");
  } else {
    for (Section& section : sections) ReadOneChange(section, text, out);
  }
  root.Finish();
  if (document.error()) return *document.error();
  return out;
}

Diagnosed<ChangesConfig> ReadChangesConfig(const std::string& path) {
  const Diagnosed<std::string> text = ReadFile(path);
  if (!text.ok()) return text.diagnostic();
  return ParseChangesConfig(path, *text);
}

}  // namespace muster::config
