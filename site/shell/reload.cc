// Words only; what happens is the core's and the shell's.
#include "site/shell/reload.h"

#include <algorithm>
#include <set>

#include "site/environment.h"

namespace muster::site {
namespace {

constexpr size_t kNamed = 10;  // holds named in the line

std::string Counted(size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

bool HasStarted(const schemas::HoldRecord& hold) {
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return part.state >= schemas::PartState::kStarting; });
}

}  // namespace

std::string SummaryOf(const Options& options) {
  return "reloaded: " + Counted(options.nodes.size(), "node") + ", " +
         Counted(options.users.size(), "user");
}

std::optional<std::string> StrandedBy(const Options& options,
                                      const std::vector<schemas::HoldRecord>& holds) {
  std::set<std::string> nodes;
  for (const Node& node : options.nodes) nodes.insert(node.name);
  std::vector<std::string> moving;
  size_t running = 0;
  for (const schemas::HoldRecord& hold : holds) {
    if (hold.state == schemas::HoldState::kClosed) continue;
    const bool stranded = std::any_of(hold.parts.begin(), hold.parts.end(), [&](const auto& part) {
      return std::any_of(part.place.chunks.begin(), part.place.chunks.end(),
                         [&](const auto& chunk) { return !nodes.contains(chunk.node); });
    });
    if (!stranded) continue;
    if (HasStarted(hold)) {
      ++running;
    } else {
      moving.push_back(JobName(hold.order));
    }
  }
  if (moving.empty() && running == 0) return std::nullopt;
  std::string text = "nodes are gone: " + Counted(moving.size(), "booking") + " there must move";
  for (size_t i = 0; i < moving.size() && i < kNamed; ++i) {
    text += (i == 0 ? " (" : ", ") + moving[i];
  }
  if (moving.size() > kNamed) text += ", ...";
  if (!moving.empty()) text += ")";
  if (running > 0) text += "; " + Counted(running, "job") + " already started there";
  return text;
}

schemas::Refused NotReloaded(const Diagnostic& diagnostic) {
  schemas::Refused refused{
      .code = diagnostic.code, .message = diagnostic.message, .changed = "nothing was changed"};
  if (diagnostic.where) {
    const SourceSpan& at = *diagnostic.where;
    refused.detail = "--> " + at.file;
    if (at.line > 0) refused.detail += ":" + std::to_string(at.line);
    if (at.line > 0 && at.column > 0) refused.detail += ":" + std::to_string(at.column);
  }
  for (const std::string& note : diagnostic.notes) {
    refused.detail += (refused.detail.empty() ? "" : "\n") + note;
  }
  for (const std::string& line : diagnostic.help) {
    refused.help += (refused.help.empty() ? "" : "\n") + line;
  }
  return refused;
}

schemas::Refused NotReloaded(const std::string& why) {
  return {.code = "config", .message = why, .changed = "nothing was changed"};
}

}  // namespace muster::site
