// Applies and describes alterations field by field.
#include "verifier/alteration.h"

#include <algorithm>

#include "base/text/node_set.h"
#include "base/units.h"
#include "verifier/client_checks.h"
#include "verifier/fits.h"
#include "verifier/request_times.h"
#include "verifier/start_notice.h"

namespace muster::verifier {
namespace {

using schemas::Alteration;
using schemas::PartAlteration;
using schemas::PartSpec;
using schemas::Refused;
using schemas::RequestSpec;

constexpr char kUsual[] = "none";  // the user's usual account or QoS
constexpr char kNothing[] = "nothing was changed";

Refused Wrong(std::string message, std::string help = "") {
  return {
      .code = "usage", .message = std::move(message), .help = std::move(help), .changed = kNothing};
}

void ChangePart(PartSpec& part, const PartAlteration& changes) {
  if (!changes.chunks.empty()) part.chunks = changes.chunks;
  if (changes.place) part.place = *changes.place;
  if (changes.exclusive) part.exclusive = *changes.exclusive;
  if (changes.sites) part.sites = changes.sites->names;
  if (changes.not_sites) part.not_sites = changes.not_sites->names;
  if (changes.set) part.set = *changes.set;
}

std::optional<Refused> ChangeParts(RequestSpec& spec, const std::vector<PartAlteration>& changes) {
  for (const PartAlteration& one : changes) {
    if (one.part > spec.parts.size()) {
      return Wrong("there is no part " + std::to_string(one.part) + "; it has " +
                   std::to_string(spec.parts.size()));
    }
    const bool of_all = one.part == 0;
    if (of_all && spec.parts.size() > 1 && !one.chunks.empty()) {
      return Wrong("-l of which part? it has " + std::to_string(spec.parts.size()),
                   "name it, as in muster alter 42.3 -l 1:ncpus=2");
    }
    for (size_t i = 0; i < spec.parts.size(); ++i) {
      if (of_all || i + 1 == one.part) ChangePart(spec.parts[i], one);
    }
  }
  return std::nullopt;
}

std::optional<Refused> ChangeTimes(RequestSpec& spec, const Alteration& changes) {
  for (const std::string& name : changes.cleared) {
    if (name == "at") {
      spec.at.reset();
    } else if (name == "from") {
      spec.from.reset();
    } else if (name == "start_by") {
      spec.start_by.reset();
    } else if (name == "deadline") {
      spec.deadline.reset();
    } else if (name == "slots") {
      spec.slots = {};
    } else if (name == "start_notice") {
      spec.start_notice.reset();
    } else if (name == "notice") {
      spec.notice.reset();
    } else if (name == "after") {
      spec.after.clear();
    } else {
      return Wrong("'" + name + "' is nothing that can be taken away");
    }
  }
  if (changes.at) {
    // An exact start replaces `from` and `start_by`, unless this alteration sets them as well.
    spec.at = changes.at;
    if (!changes.from) spec.from.reset();
    if (!changes.start_by) spec.start_by.reset();
  }
  if (changes.from) spec.from = changes.from;
  if (changes.start_by) spec.start_by = changes.start_by;
  if (changes.deadline) spec.deadline = changes.deadline;
  if (!changes.slots.empty()) spec.slots = changes.slots;
  if (changes.start_notice) spec.start_notice = changes.start_notice;
  if (changes.notice) spec.notice = changes.notice;
  if (!changes.after.empty()) spec.after = changes.after;
  return std::nullopt;
}

bool SameChunksButCounts(const PartSpec& a, const PartSpec& b) {
  if (a.chunks.size() != b.chunks.size()) return false;
  for (size_t i = 0; i < a.chunks.size(); ++i) {
    const schemas::Chunk& x = a.chunks[i];
    const schemas::Chunk& y = b.chunks[i];
    if (x.resources != y.resources || x.properties != y.properties) return false;
    const bool malleable = x.most > 0 && y.count >= x.least && y.count <= x.most;
    if (x.count != y.count && !malleable) return false;
  }
  return true;
}

std::string AfterText(const std::vector<schemas::Dependency>& after) {
  std::string text;
  for (const schemas::Dependency& d : after) {
    const char* const kind = d.kind == schemas::DependencyKind::kOk    ? ""
                             : d.kind == schemas::DependencyKind::kAny ? "any:"
                                                                       : "fail:";
    text += (text.empty() ? "" : ", ") + (kind + ToText(d.request));
  }
  return text;
}

std::string SetText(const std::string& set) {
  if (set.empty() || set == text::kAnyNodes) return "nodes anywhere";
  if (set == kSwitchAttribute) return "all nodes below one switch";
  return "nodes that are " + set;
}

void Say(std::string& text, const std::string& more) { text += (text.empty() ? "" : ", ") + more; }

}  // namespace

std::variant<RequestSpec, Refused> Changed(RequestSpec spec, const Alteration& changes) {
  const bool of_reservation = changes.allow || changes.confirm;
  if (of_reservation && !spec.reserves) {
    return Wrong("--allow and --confirm are of reservations, and it is a job");
  }
  if (changes.duration) spec.duration = *changes.duration;
  if (changes.name) spec.name = *changes.name;
  if (changes.queue) spec.queue = *changes.queue;
  if (changes.account) spec.account = *changes.account == kUsual ? "" : *changes.account;
  if (changes.qos) spec.qos = *changes.qos == kUsual ? "" : *changes.qos;
  if (changes.apart) spec.apart = *changes.apart;
  if (auto fault = ChangeTimes(spec, changes)) return *fault;
  if (auto fault = ChangeParts(spec, changes.parts)) return *fault;
  if (changes.allow) spec.reserves->allow = changes.allow->names;
  if (changes.confirm) spec.reserves->confirm_within.reset();
  return spec;
}

std::string ChangeText(const RequestSpec& before, const RequestSpec& after) {
  std::string text;
  if (before.duration != after.duration) {
    Say(text, DurationText(after.duration) + " (was " + DurationText(before.duration) + ")");
  }
  for (size_t i = 0; i < before.parts.size() && i < after.parts.size(); ++i) {
    const PartSpec& a = before.parts[i];
    const PartSpec& b = after.parts[i];
    const std::string part = before.parts.size() == 1 ? "" : "part " + std::to_string(i + 1) + ": ";
    if (a.chunks != b.chunks) {
      Say(text, part + ChunksOption(b.chunks) + " (was " + ChunksOption(a.chunks) + ")");
    }
    if (a.place != b.place || a.exclusive != b.exclusive) Say(text, part + "another placement");
    if (a.set != b.set) Say(text, part + SetText(b.set));
    if (a.sites != b.sites || a.not_sites != b.not_sites) Say(text, part + "other sites");
  }
  if (before.apart != after.apart)
    Say(text, after.apart ? "parts apart" : "parts need not be apart");
  if (before.at != after.at || before.from != after.from || before.start_by != after.start_by ||
      before.deadline != after.deadline || before.slots != after.slots) {
    Say(text, "another window");
  }
  if (before.after != after.after) {
    Say(text, after.after.empty() ? "after no other job" : "after " + AfterText(after.after));
  }
  if (before.start_notice != after.start_notice) {
    Say(text, "word " + DurationText(StartNoticeOf(after)) + " before an earlier start (was " +
                  DurationText(StartNoticeOf(before)) + ")");
  }
  if (before.notice != after.notice) {
    Say(text, after.notice ? "word " + DurationText(after.notice->before) + " before its end"
                           : "no word before its end");
  }
  if (before.name != after.name) Say(text, "named " + after.name);
  if (before.queue != after.queue)
    Say(text, "queue " + after.queue + " (was " + before.queue + ")");
  if (before.account != after.account)
    Say(text, after.account.empty() ? "for no account" : "for account " + after.account);
  if (before.qos != after.qos) Say(text, after.qos.empty() ? "the usual QoS" : "QoS " + after.qos);
  if (before.reserves && after.reserves) {
    if (before.reserves->allow != after.reserves->allow) {
      std::string names;
      for (const std::string& name : after.reserves->allow) Say(names, name);
      Say(text, names.empty() ? "open to its owner only" : "open to " + names);
    }
    if (before.reserves->confirm_within && !after.reserves->confirm_within) Say(text, "confirmed");
  }
  return text;
}

bool NeedsAnotherPlace(const RequestSpec& before, const RequestSpec& after, Instant start,
                       Span length) {
  const bool same_work = before.parts == after.parts && before.duration == after.duration &&
                         before.apart == after.apart;
  const bool not_sooner =
      before.at == after.at && before.from == after.from && before.slots == after.slots;
  // The hold has both notices, so a change of either needs a new hold.
  const bool same_word =
      before.notice == after.notice && StartNoticeOf(before) == StartNoticeOf(after);
  // A permit asserts that no gate is closed, so new dependencies need a new attempt.
  const bool same_gate = before.after == after.after;
  // Sites judge by the hold's credentials.
  const bool same_under = before.account == after.account && before.qos == after.qos;
  const bool same_end = before.start_by == after.start_by && before.deadline == after.deadline;
  return !same_work || !not_sooner || !same_word || !same_gate || !same_under ||
         (!same_end && !AllowedStarts(after, length).Contains(start));
}

bool OtherNotice(const RequestSpec& before, const RequestSpec& after) {
  return before.start_notice != after.start_notice || before.at != after.at ||
         before.from != after.from || before.start_by != after.start_by ||
         before.deadline != after.deadline || before.slots != after.slots ||
         before.duration != after.duration;
}

std::optional<RunningChange> ChangeOfRunning(const RequestSpec& before, const RequestSpec& after) {
  RunningChange out{after.duration - before.duration, {}};
  if (out.longer < Span{0}) return std::nullopt;
  RequestSpec same = after;
  same.duration = before.duration;
  same.name = before.name;
  same.reserves = before.reserves;
  for (size_t i = 0; i < before.parts.size(); ++i) {
    if (same.parts[i].chunks == before.parts[i].chunks) continue;
    if (!SameChunksButCounts(before.parts[i], same.parts[i])) return std::nullopt;
    std::vector<uint64_t> counts;
    for (const schemas::Chunk& chunk : same.parts[i].chunks) counts.push_back(chunk.count);
    out.counts.push_back({static_cast<uint32_t>(i + 1), std::move(counts)});
    same.parts[i].chunks = before.parts[i].chunks;
  }
  if (same != before) return std::nullopt;
  return out;
}

}  // namespace muster::verifier
