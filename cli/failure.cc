// Formats failures; places `changed` next to the help.
#include "cli/failure.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace muster::cli {
namespace {

constexpr size_t kPageColumns = 80;
constexpr size_t kHelpIndent = 8;  // "  help: "

size_t Characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

Failure Fail(std::string code, std::string message, std::string help, std::string changed) {
  Diagnostic diagnostic{
      .code = std::move(code), .message = std::move(message), .where = {}, .notes = {}, .help = {}};
  if (!help.empty()) diagnostic.help.push_back(std::move(help));
  return Failure(std::move(diagnostic), std::move(changed));
}

Failure SystemFailure(const std::string& what) {
  return Fail("internal", what + ": " + std::strerror(errno));
}

std::string RenderFailure(const Failure& failure) {
  Diagnostic shown = failure.diagnostic;
  if (!failure.changed.empty()) {
    if (shown.help.empty()) {
      shown.notes.push_back(failure.changed);
    } else {
      const std::string joined = shown.help.back() + "; " + failure.changed;
      if (kHelpIndent + Characters(joined) <= kPageColumns) {
        shown.help.back() = joined;
      } else {
        shown.help.push_back(failure.changed);
      }
    }
  }
  return Render(shown);
}

}  // namespace muster::cli
