// Each check returns the first fault that it finds.
#include "verifier/client_checks.h"

#include <algorithm>
#include <map>

#include "base/text/node_set.h"
#include "base/units.h"
#include "schemas/limits.h"
#include "verifier/request_times.h"

namespace muster::verifier {
namespace {

using schemas::PartSpec;
using schemas::Refused;
using schemas::RequestSpec;

constexpr int64_t kAmountMost = int64_t{1} << 60;  // of one set; kSumMost: of all sets of a part
constexpr int64_t kSumMost = int64_t{1} << 62;
constexpr size_t kArguments = 4096;
constexpr size_t kEnvironment = 4096;

bool BadName(const std::string& name) {
  return name.empty() || name.size() > schemas::kNameBytes ||
         std::any_of(name.begin(), name.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

Fault CheckChunks(const PartSpec& part, const std::string& name) {
  if (part.chunks.empty()) return Usage(name + " has no chunks", "as in 2:ncpus=4:mem=2gb");
  if (part.chunks.size() > schemas::kChunksPerPart) {
    return Usage(name + " has " + std::to_string(part.chunks.size()) + " chunks; at most " +
                 std::to_string(schemas::kChunksPerPart));
  }
  std::map<std::string, int64_t> sums;
  for (const schemas::Chunk& chunk : part.chunks) {
    if (chunk.count < 1 || chunk.count > schemas::kChunkCount) {
      return Usage(name + ": " + std::to_string(chunk.count) + " equal chunks; from 1 to " +
                   std::to_string(schemas::kChunkCount));
    }
    const bool rigid = chunk.least == 0 && chunk.most == 0;
    if (!rigid && (chunk.least < 1 || chunk.least > chunk.count || chunk.most < chunk.count ||
                   chunk.most > schemas::kChunkCount)) {
      return Usage(name + ": from " + std::to_string(chunk.least) + " to " +
                       std::to_string(chunk.most) + " sets of a chunk, and " +
                       std::to_string(chunk.count) + " to begin with",
                   "as in 2-4:ncpus=4");
    }
    if (chunk.resources.empty())
      return Usage(name + ": a chunk without resources", "as in ncpus=1");
    for (const auto& [resource, amount] : chunk.resources.entries()) {
      if (BadName(resource)) return Usage(name + ": a resource without a proper name");
      if (amount < 1 || amount > kAmountMost) {
        return Usage(name + ": " + resource + "=" + std::to_string(amount) + " is out of range");
      }
      int64_t& sum = sums[resource];
      if (amount > (kSumMost - sum) / chunk.count) {
        return Usage(name + ": " + resource + " adds up to more than any amount");
      }
      sum += amount * chunk.count;
    }
    for (const auto& [property, value] : chunk.properties) {
      if (BadName(property) || value.size() > schemas::kNameBytes) {
        return Usage(name + ": a property without a proper name or value");
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Refused Usage(std::string message, std::string help) {
  return {.code = "usage",
          .message = std::move(message),
          .help = std::move(help),
          .changed = "nothing was submitted"};
}

Fault CheckEnvelope(const schemas::ClientMessage& m, const std::string& federation, Moment now) {
  if (m.version != schemas::kProtocolVersion) {
    return Refused{.code = "version",
                   .message = "protocol version " + std::to_string(m.version) + "; here it is " +
                              std::to_string(schemas::kProtocolVersion)};
  }
  if (!m.federation.empty() && !federation.empty() && m.federation != federation) {
    return Refused{.code = "federation",
                   .message = "this is '" + federation + "', not '" + m.federation + "'"};
  }
  if (m.expires.milliseconds != 0 && m.expires < now) {
    return Refused{.code = "expired",
                   .message = "the message was under way too long, or a clock is off",
                   .changed = "nothing was changed"};
  }
  return std::nullopt;
}

Fault CheckKey(const schemas::ClientKey& key, Moment now) {
  if (key.text.empty() || key.text.size() > schemas::kNameBytes) {
    return Usage("a client key of " + std::to_string(key.text.size()) + " bytes; from 1 to 255");
  }
  const int64_t keep = schemas::kDedupeKeep.seconds * 1000;
  if (key.generated && key.generated->milliseconds < now.milliseconds - keep) {
    return Refused{.code = "expired",
                   .message = "its key is older than 7 days: it may have run already",
                   .help = "submit it anew",
                   .changed = "nothing was submitted"};
  }
  return std::nullopt;
}

Fault CheckCounts(const Validities& all, const Member& who, Moment now) {
  if (CountsAt(all, who, now.Floor())) return std::nullopt;
  return Refused{.code = "denied",
                 .message = who.user + " may submit nothing at this time",
                 .detail = WhenText(all, who),
                 .help = "an operator may change 'valid' of the user or group",
                 .changed = "nothing was submitted"};
}

Fault CheckName(const RequestSpec& spec) {
  if (spec.name.size() > schemas::kNameBytes || (!spec.name.empty() && BadName(spec.name))) {
    return Usage("a job name of " + std::to_string(spec.name.size()) +
                 " bytes, or with control characters; at most 255 printable ones");
  }
  return std::nullopt;
}

Fault CheckSet(const std::string& set, const std::string& name) {
  if (set.empty() || set == text::kAnyNodes) return std::nullopt;
  const Diagnosed<NodeSet> read = text::ParseNodeSet(set);
  if (read.ok()) return std::nullopt;
  const Diagnostic& wrong = read.diagnostic();
  return Usage(name + ": node set '" + set + "': " + wrong.message, wrong.help.front());
}

Fault CheckPart(const PartSpec& part, const std::string& name) {
  if (Fault fault = CheckChunks(part, name)) return fault;
  for (const auto& [resource, amount] : part.jobwide.entries()) {
    if (BadName(resource) || amount < 1 || amount > kAmountMost) {
      return Usage(name + ": " + resource + "=" + std::to_string(amount) + " is out of range");
    }
  }
  if (Fault fault = CheckSet(part.set, name)) return fault;
  if (part.offset < Span{0} || part.offset > kDurationMost) {
    return Usage(name + ": an offset of " + std::to_string(part.offset.seconds) + " s",
                 "an offset is after the request's start: 0 or more");
  }
  return std::nullopt;
}

Fault CheckTimes(const RequestSpec& spec, Moment now) {
  if (spec.duration == Span{0}) {
    return Usage("how long? -t is missing, and there is no default where it may run",
                 "as in -t 30m");
  }
  if (spec.duration < Span{1} || spec.duration > kDurationMost) {
    return Usage("a duration of " + std::to_string(spec.duration.seconds) + " s",
                 "from 1s to " + DurationText(kDurationMost));
  }
  const auto in_range = [](const std::optional<Instant>& t) {
    return !t ||
           (*t >= Instant{0} && *t < kFarFuture - kDurationMost - kDurationMost - kDurationMost);
  };
  if (!in_range(spec.at) || !in_range(spec.from) || !in_range(spec.start_by) ||
      !in_range(spec.deadline)) {
    return Usage("a time that is out of range");
  }
  const Instant floor = now.Floor();
  if (spec.at && *spec.at < floor) {
    return Usage("--at: that was " + DurationText(floor - *spec.at) + " ago", "a time to come");
  }
  if (spec.at && (spec.from || spec.start_by)) {
    return Usage("--at says exactly when; --from and --start-by do not go with it");
  }
  if (spec.start_by && *spec.start_by < floor) {
    return Usage("--start-by: that was " + DurationText(floor - *spec.start_by) + " ago",
                 "a time to come");
  }
  if (spec.deadline && *spec.deadline < floor) {
    return Usage("--deadline: that was " + DurationText(floor - *spec.deadline) + " ago",
                 "a time to come");
  }
  if (spec.from && spec.start_by && *spec.start_by < *spec.from) {
    return Usage("--start-by is before --from");
  }
  if (spec.slots.intervals().size() > schemas::kAllowedIntervals ||
      (!spec.slots.empty() &&
       (spec.slots.intervals().front().begin < Instant{0} ||
        spec.slots.intervals().back().end > kFarFuture - kDurationMost - kDurationMost))) {
    return Usage("--slot: a time that is out of range, or too many");
  }
  return std::nullopt;
}

Fault CheckWindow(const RequestSpec& spec, Span length, Moment now) {
  const Instant floor = now.Floor();
  const std::string at_fastest =
      length == spec.duration ? "" : ", " + DurationText(length) + " at the fastest site,";
  if (!spec.slots.empty() && AllowedStarts(spec, length).NotBefore(floor).empty()) {
    return Usage(
        "--slot: " + DurationText(spec.duration) + at_fastest + " fits into none of them any more",
        "a slot that is longer, and ends later");
  }
  const Instant last = LastAllowedStart(spec, length);
  const Instant first = spec.at.value_or(std::max(spec.from.value_or(floor), floor));
  const bool too_late = spec.deadline && first + length + LastOffset(spec) > *spec.deadline;
  if (too_late || last < first) {
    return Usage("--deadline: " + DurationText(spec.duration) + at_fastest + " cannot end by then",
                 "a later --deadline, an earlier --from or --at, or a shorter -t");
  }
  return std::nullopt;
}

Fault CheckNotice(const RequestSpec& spec) {
  if (!spec.notice) return std::nullopt;
  const schemas::Notice& notice = *spec.notice;
  if (notice.before < Span{1} || notice.before >= spec.duration) {
    return Usage("--notice: " + DurationText(notice.before) + " before the end of a job of " +
                     DurationText(spec.duration),
                 "less than its duration, as in --notice 5m");
  }
  static const std::vector<std::string> kSignals = {"HUP",  "INT",  "QUIT",  "USR1", "USR2",
                                                    "TERM", "CONT", "WINCH", "URG",  "ALRM"};
  if (!notice.signal.empty() &&
      std::find(kSignals.begin(), kSignals.end(), notice.signal) == kSignals.end()) {
    return Usage("--notice: no signal '" + notice.signal + "' is sent before the end",
                 "one of HUP, INT, QUIT, USR1, USR2, TERM, CONT, WINCH, URG, ALRM");
  }
  if (notice.signal.empty() && notice.argv.empty()) {
    return Usage("--notice: neither a signal nor a command", "as in --notice 5m:USR1");
  }
  return std::nullopt;
}

Fault CheckStartNotice(const RequestSpec& spec, Span length, Moment now) {
  if (!spec.start_notice) return std::nullopt;
  const Span notice = *spec.start_notice;
  if (notice < Span{0} || notice > kDurationMost) {
    return Usage("--start-notice: " + std::to_string(notice.seconds) + " s",
                 "from 0, which is: at once is fine, to " + DurationText(kDurationMost));
  }
  if (spec.at && notice > Span{0}) {
    return Usage("--at says exactly when, and never moves; --start-notice does not go with it");
  }
  const Instant last = LastAllowedStart(spec, length);
  const Instant first = std::max(spec.from.value_or(now.Floor()), now.Floor());
  if (last >= kFarFuture || notice <= last - first) return std::nullopt;
  return Usage("--start-notice: " + DurationText(notice) + " is more than its window, of " +
                   DurationText(last - first),
               "a shorter one, or a later --start-by or --deadline");
}

Fault CheckReservation(const RequestSpec& spec) {
  if (!spec.reserves) return std::nullopt;
  constexpr Span kConfirmMost{90 * 86400};
  if (spec.array || !spec.after.empty() || spec.inside || spec.notice) {
    return Usage("a reservation is no array, after or inside of another");
  }
  if (spec.parts.size() > 1 && !spec.apart) {
    return Usage("the parts of a reservation are each at a site of its own",
                 "one part with more chunks is at one site");
  }
  if (FirstOffset(spec) != LastOffset(spec)) {
    return Usage("--offset: the parts of a reservation begin together");
  }
  if (!spec.payload.script.empty() || !spec.payload.argv.empty()) {
    return Usage("a reservation runs nothing", "muster submit --in R7 … runs in it");
  }
  const schemas::ReservationSpec& reserves = *spec.reserves;
  if (reserves.allow.size() > schemas::kGroupsPerUser ||
      std::any_of(reserves.allow.begin(), reserves.allow.end(), BadName)) {
    return Usage("--allow: names of users, @ and that of a group, or as in 'account chem'",
                 "as in --allow ana,@students");
  }
  if (reserves.confirm_within &&
      (*reserves.confirm_within < Span{1} || *reserves.confirm_within > kConfirmMost)) {
    return Usage("--provisional: from 1s to " + DurationText(kConfirmMost));
  }
  return std::nullopt;
}

Fault CheckPayload(const RequestSpec& spec) {
  const schemas::Payload& p = spec.payload;
  if (p.script.empty() && p.argv.empty()) return Usage("nothing to run", "a script, or -- command");
  if (p.script.size() > schemas::kScriptBytes) {
    return Usage("a script of " + std::to_string(p.script.size()) + " bytes; at most 1mb");
  }
  if (p.argv.size() > kArguments) {
    return Usage(std::to_string(p.argv.size()) + " arguments; at most " +
                 std::to_string(kArguments));
  }
  if (p.environment.size() > kEnvironment) {
    return Usage(std::to_string(p.environment.size()) + " environment variables; at most " +
                 std::to_string(kEnvironment));
  }
  size_t bytes = p.script.size();
  for (const std::string& arg : p.argv) bytes += arg.size();
  for (const auto& [name, value] : p.environment) bytes += name.size() + value.size();
  if (bytes > schemas::kMessageBytes / 2) {
    return Usage("script, arguments and environment of " + std::to_string(bytes) +
                 " bytes; at most 2mb together");
  }
  if (!p.submit_dir.empty() && p.submit_dir[0] != '/')
    return Usage("a submit directory that is not absolute");
  return std::nullopt;
}

}  // namespace muster::verifier
