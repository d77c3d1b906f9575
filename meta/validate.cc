// Checks in the order in which a reader of the request would find the faults.
#include "meta/validate.h"

#include <algorithm>
#include <map>

#include "base/units.h"
#include "partitioner/choose.h"
#include "partitioner/fits.h"
#include "partitioner/split.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

using schemas::PartSpec;
using schemas::Refused;
using schemas::RequestSpec;
using Fault = std::optional<Refused>;

constexpr int64_t kAmountMost = int64_t{1} << 60;  // sums over counts are bounded by kSumMost
constexpr int64_t kSumMost = int64_t{1} << 62;
constexpr Span kDurationMost{int64_t{3660} * 86400};  // ten years
constexpr size_t kArguments = 4096;
constexpr size_t kEnvironment = 4096;

Fault Usage(std::string message, std::string help = "") {
  return Refused{.code = "usage",
                 .message = std::move(message),
                 .help = std::move(help),
                 .changed = "nothing was submitted"};
}

bool BadName(const std::string& name) {
  return name.empty() || name.size() > schemas::kNameBytes ||
         std::any_of(name.begin(), name.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

Fault CheckSites(const Federation& f, const std::vector<std::string>& names,
                 const std::string& part) {
  for (const std::string& name : names) {
    if (f.Lists(name)) continue;
    std::string known;
    for (const std::string& site : f.site_names) known += (known.empty() ? "" : ", ") + site;
    return Usage(part + ": no site '" + name + "' in this federation", "its sites: " + known);
  }
  return std::nullopt;
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

Fault CheckParts(const Federation& f, const RequestSpec& spec) {
  if (spec.parts.empty()) return Usage("a request needs at least one part");
  if (spec.parts.size() > schemas::kPartsPerRequest) {
    return Usage(std::to_string(spec.parts.size()) + " parts; at most " +
                 std::to_string(schemas::kPartsPerRequest));
  }
  std::vector<std::vector<std::string>> eligible;
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    const PartSpec& part = spec.parts[i];
    const std::string name = "part " + std::to_string(i + 1);
    if (Fault fault = CheckChunks(part, name)) return fault;
    if (Fault fault = CheckSites(f, part.sites, name)) return fault;
    if (Fault fault = CheckSites(f, part.not_sites, name)) return fault;
    if (part.offset < Span{0} || part.offset > kDurationMost) {
      return Usage(name + ": an offset of " + std::to_string(part.offset.seconds) + " s",
                   "an offset is after the request's start: 0 or more");
    }
    eligible.push_back(partitioner::EligibleSites(part, f.site_names));
    if (eligible.back().empty()) return Usage(name + " may run on no site at all");
  }
  if (spec.apart && !partitioner::CanBeApart(eligible)) {
    return Usage("--apart: " + std::to_string(spec.parts.size()) +
                 " parts cannot each have a site of their own");
  }
  return std::nullopt;
}

Fault CheckTimes(const RequestSpec& spec, Moment now) {
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
  const Instant last = partitioner::LastAllowedStart(spec);
  const Instant first = spec.at.value_or(std::max(spec.from.value_or(floor), floor));
  const bool too_late =
      spec.deadline && first + spec.duration + partitioner::LastOffset(spec) > *spec.deadline;
  if (too_late || last < first) {
    return Usage("--deadline: " + DurationText(spec.duration) + " cannot end by then");
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

// The same wording at several sites is said once: "lakes, woods: no node has more than 4 cpus".
std::string JoinMisfits(const std::vector<std::pair<std::string, std::string>>& by_site) {
  std::vector<std::pair<std::string, std::string>> lines;  // text, sites
  for (const auto& [site, text] : by_site) {
    const auto it = std::find_if(lines.begin(), lines.end(),
                                 [&](const auto& line) { return line.first == text; });
    if (it == lines.end()) {
      lines.push_back({text, site});
    } else {
      it->second += ", " + site;
    }
  }
  std::string out;
  for (const auto& [text, sites] : lines) out += (out.empty() ? "" : "\n") + sites + ": " + text;
  return out;
}

double SizeOf(const std::vector<schemas::Chunk>& chunks, const PartSpec& asked) {
  ResourceSet sum;
  for (const schemas::Chunk& chunk : chunks) sum += chunk.resources * chunk.count;
  const ResourceSet wanted = partitioner::AmountsOf(asked);
  double size = 0;
  for (const auto& [name, amount] : wanted.entries()) {
    size += static_cast<double>(sum.Get(name)) / static_cast<double>(amount);
  }
  return size;
}

}  // namespace

Fault CheckRequest(const Federation& f, const RequestSpec& spec, Moment now, bool with_payload) {
  if (spec.name.size() > schemas::kNameBytes || (!spec.name.empty() && BadName(spec.name))) {
    return Usage("a job name of " + std::to_string(spec.name.size()) +
                 " bytes, or with control characters; at most 255 printable ones");
  }
  const std::vector<std::string>& queues = f.options.queues;
  if (std::find(queues.begin(), queues.end(), spec.queue) == queues.end()) {
    std::string known;
    for (const std::string& queue : queues) known += (known.empty() ? "" : ", ") + queue;
    return Usage("no queue '" + spec.queue + "'", "its queues: " + known);
  }
  if (Fault fault = CheckParts(f, spec)) return fault;
  if (Fault fault = CheckTimes(spec, now)) return fault;
  return with_payload ? CheckPayload(spec) : std::nullopt;
}

Fault NeverRuns(const Federation& f, const RequestSpec& spec) {
  std::vector<std::vector<std::string>> able;
  for (const PartSpec& part : spec.parts) {
    std::vector<std::pair<std::string, std::string>> why;
    std::vector<schemas::Chunk> largest;
    able.emplace_back();
    for (const std::string& name : partitioner::EligibleSites(part, f.site_names)) {
      const Site& site = f.sites.at(name);
      const std::optional<partitioner::Misfit> misfit =
          site.capacity ? partitioner::WhyNever(part, *site.capacity) : std::nullopt;
      if (!misfit) {
        able.back().push_back(name);
        continue;
      }
      why.push_back({name, misfit->text});
      if (SizeOf(misfit->largest, part) > SizeOf(largest, part)) largest = misfit->largest;
    }
    if (!able.back().empty()) continue;
    return Refused{.code = "never",
                   .message = "no site can ever run " + partitioner::ChunksText(part.chunks),
                   .detail = JoinMisfits(why),
                   .help = largest.empty()
                               ? ""
                               : "the largest here is -l " + partitioner::ChunksOption(largest),
                   .changed = "nothing was submitted"};
  }
  if (spec.apart && !partitioner::CanBeApart(able)) {
    return Refused{.code = "never",
                   .message = "no sites can ever run these " + std::to_string(spec.parts.size()) +
                              " parts apart",
                   .help = "without --apart parts may share a site",
                   .changed = "nothing was submitted"};
  }
  return std::nullopt;
}

}  // namespace muster::meta
