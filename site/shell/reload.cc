// Only texts: core and shell do the work.
#include "site/shell/reload.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "site/holds/displaced_by_reload.h"
#include "site/planning/environment.h"

namespace muster::site {
namespace {

constexpr size_t kNamed = 10;  // most holds named in one line, and changes of a machine

std::string Counted(size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

bool HasStarted(const schemas::HoldRecord& hold) {
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return part.state >= schemas::PartState::kStarting; });
}

// Holds that cannot stay where they are, all for one reason.
struct Stranded {
  std::vector<std::string> moving;
  size_t running = 0;
};

// "n2 has 3 ncpus, before 4".
void AddAmounts(const std::string& of, const ResourceSet& before, const ResourceSet& now,
                std::vector<std::string>& lines) {
  std::set<std::string> names;
  for (const ResourceSet* one : {&before, &now}) {
    for (const auto& [name, _] : one->entries()) names.insert(name);
  }
  for (const std::string& name : names) {
    if (before.Get(name) == now.Get(name)) continue;
    lines.push_back(of + " " + std::to_string(now.Get(name)) + " " + name + ", before " +
                    std::to_string(before.Get(name)));
  }
}

std::string LineOf(const std::string& why, const Stranded& stranded) {
  const std::vector<std::string>& moving = stranded.moving;
  std::string text = why + ": " + Counted(moving.size(), "booking") + " there must move";
  for (size_t i = 0; i < moving.size() && i < kNamed; ++i) {
    text += (i == 0 ? " (" : ", ") + moving[i];
  }
  if (moving.size() > kNamed) text += ", ...";
  if (!moving.empty()) text += ")";
  if (stranded.running > 0) {
    text += "; " + Counted(stranded.running, "job") + " already started there";
  }
  return text;
}

}  // namespace

std::string SummaryOf(const Options& options) {
  return "reloaded: " + Counted(options.nodes.size(), "node") + ", " +
         Counted(options.users.size(), "user");
}

std::vector<std::string> WhatChanged(const driver::Facts& before, const driver::Facts& now) {
  std::vector<std::string> lines;
  std::map<std::string, const driver::NodeFact*> known;
  for (const driver::NodeFact& node : before.nodes) known[node.name] = &node;
  for (const driver::NodeFact& node : now.nodes) {
    const auto was = known.extract(node.name);
    if (!was) {
      lines.push_back(node.name + " is new");
      continue;
    }
    AddAmounts(node.name + " has", was.mapped()->resources, node.resources, lines);
    if (was.mapped()->properties != node.properties) {
      lines.push_back(node.name + " has other properties");
    }
  }
  for (const auto& [name, _] : known) lines.push_back(name + " is gone");
  AddAmounts("there is", before.jobwide, now.jobwide, lines);
  if (before.start_ahead != now.start_ahead) {
    lines.push_back("a part is handed over " + std::to_string(now.start_ahead.seconds) +
                    " s before its start, before " + std::to_string(before.start_ahead.seconds));
  }
  if (lines.size() > kNamed) {
    const size_t more = lines.size() - kNamed;
    lines.resize(kNamed);
    lines.push_back("and " + std::to_string(more) + " more");
  }
  return lines;
}

std::vector<std::string> StrandedBy(const Options& options,
                                    const std::vector<schemas::HoldRecord>& holds, Instant now) {
  std::map<std::string, Stranded> by_why;  // "nodes are gone", "n1 takes only ..."
  const DisplacedByReload displaced(options);
  std::map<Fence, schemas::HoldRecord> by_fence;
  for (const schemas::HoldRecord& hold : holds) by_fence.emplace(hold.order.fence, hold);
  std::map<Fence, Displacement> crowded;
  for (auto& [fence, at] : displaced.Crowded(by_fence, SitePolicy(), now))
    crowded.emplace(fence, at);
  for (const std::string& lost : displaced.Lost()) by_why[lost];
  for (const auto& [fence, hold] : by_fence) {
    if (hold.state == schemas::HoldState::kClosed) continue;
    std::optional<Displacement> at = displaced.Of(hold);
    if (const auto one = crowded.find(fence); !at && one != crowded.end()) at = one->second;
    if (!at) continue;
    Stranded& stranded = by_why[at->gone ? "nodes are gone" : at->why];
    if (HasStarted(hold)) {
      ++stranded.running;
    } else {
      stranded.moving.push_back(JobName(hold.order));
    }
  }
  std::vector<std::string> lines;
  for (const auto& [why, stranded] : by_why) lines.push_back(LineOf(why, stranded));
  return lines;
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
