// Checks follow the order in which a reader of the request would find the faults.
#include "meta/requests/validate.h"

#include <algorithm>

#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "partitioner/choose.h"
#include "partitioner/fits.h"
#include "partitioner/split.h"
#include "schemas/limits.h"
#include "verifier/client_checks.h"

namespace muster::meta {
namespace {

using schemas::PartSpec;
using schemas::Refused;
using schemas::RequestSpec;
using verifier::Fault;
using verifier::Usage;

constexpr uint64_t kIndexMost = uint64_t{1} << 23;  // an element's number has 24 bits (base/ids.h)

Fault CheckSites(const RequestsLayer& f, const std::vector<std::string>& names,
                 const std::string& part) {
  for (const std::string& name : names) {
    if (f.Lists(name)) continue;
    std::string known;
    for (const std::string& site : f.site_names) known += (known.empty() ? "" : ", ") + site;
    return Usage(part + ": no site '" + name + "' in this federation", "its sites: " + known);
  }
  return std::nullopt;
}

Fault CheckParts(const RequestsLayer& f, const RequestSpec& spec) {
  if (spec.parts.empty()) return Usage("a request needs at least one part");
  if (spec.parts.size() > schemas::kPartsPerRequest) {
    return Usage(std::to_string(spec.parts.size()) + " parts; at most " +
                 std::to_string(schemas::kPartsPerRequest));
  }
  std::vector<std::vector<std::string>> eligible;
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    const PartSpec& part = spec.parts[i];
    const std::string name = "part " + std::to_string(i + 1);
    if (Fault fault = verifier::CheckPart(part, name)) return fault;
    if (Fault fault = CheckSites(f, part.sites, name)) return fault;
    if (Fault fault = CheckSites(f, part.not_sites, name)) return fault;
    eligible.push_back(partitioner::EligibleSites(part, f.site_names));
    if (eligible.back().empty()) return Usage(name + " may run on no site at all");
  }
  if (spec.apart && !partitioner::CanBeApart(eligible)) {
    return Usage("--apart: " + std::to_string(spec.parts.size()) +
                 " parts cannot each have a site of their own");
  }
  return std::nullopt;
}

// Merges the same text of several sites: "lakes, woods: no node has more than 4 cpus".
std::string JoinMisfits(const std::vector<std::pair<std::string, std::string>>& by_site) {
  std::vector<std::pair<std::string, std::string>> lines;  // text and its sites
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

Fault CheckArray(const RequestSpec& spec) {
  if (!spec.array) return std::nullopt;
  const schemas::ArraySpec& a = *spec.array;
  if (a.step == 0 || a.last < a.first) {
    return Usage("-a: an array that counts from " + std::to_string(a.first) + " to " +
                     std::to_string(a.last) + " by " + std::to_string(a.step),
                 "as in -a 1-100, -a 0-30:10 or -a 1-100%20");
  }
  if ((a.last - a.first) / a.step >= schemas::kArrayElements || a.last >= kIndexMost) {
    return Usage("-a: more than " + std::to_string(schemas::kArrayElements) +
                     " elements, or an index from " + std::to_string(kIndexMost) + " on",
                 "several arrays");
  }
  return std::nullopt;
}

Fault CheckAfter(const RequestsLayer& f, const RequestSpec& spec) {
  if (spec.after.size() > schemas::kDependencies) {
    return Usage("--after: " + std::to_string(spec.after.size()) + " jobs; at most " +
                 std::to_string(schemas::kDependencies));
  }
  for (const schemas::Dependency& d : spec.after) {
    if (f.requests.Find(d.request)) continue;
    return Refused{.code = "not-found",
                   .message = "--after: no job " + ToText(d.request) + " on record",
                   .help = "muster queue --ended",
                   .changed = "nothing was submitted"};
  }
  return std::nullopt;
}

// The most specific of a site's durations for a user: the user's own, else that of the first of the
// user's groups by name, else that for all.
std::optional<Span> OneFor(const User& user, const std::vector<schemas::DefaultDuration>& all) {
  const auto rank = [&user](const std::string& who) -> std::pair<int, std::string> {
    if (who == user.name) return {3, ""};
    if (who == "*") return {1, ""};
    const bool member = who.starts_with('@') && std::find(user.groups.begin(), user.groups.end(),
                                                          who.substr(1)) != user.groups.end();
    return {member ? 2 : 0, who};
  };
  std::optional<Span> found;
  std::pair<int, std::string> best;
  for (const schemas::DefaultDuration& one : all) {
    const auto here = rank(one.who);
    const bool better =
        here.first > best.first || (here.first == best.first && here.second <= best.second);
    if (here.first == 0 || !better) continue;
    best = here;
    found = one.duration;
  }
  return found;
}

// The duration of a request at this site, and what determines it; nullopt if nothing does.
std::optional<std::pair<Span, Lasting>> LastsAt(const Site& site, Span asked, const User& user) {
  if (site.capacity) {
    if (const auto forced = OneFor(user, site.capacity->forced)) {
      return std::pair(*forced, *forced == asked ? Lasting::kAsAsked : Lasting::kAsForced);
    }
  }
  if (asked != Span{0}) return std::pair(asked, Lasting::kAsAsked);
  const auto usual = site.capacity ? OneFor(user, site.capacity->durations) : std::nullopt;
  if (!usual) return std::nullopt;
  return std::pair(*usual, Lasting::kByDefault);
}

}  // namespace

void NameProperties(const RequestsLayer& f, RequestSpec& spec) {
  for (PartSpec& part : spec.parts) {
    std::vector<const schemas::Capacity*> sites;
    for (const std::string& name : partitioner::EligibleSites(part, f.site_names)) {
      const Site& site = f.sites.at(name);
      if (site.capacity) sites.push_back(&*site.capacity);
    }
    verifier::NameProperties(part, sites);
  }
}

Lasting FillDuration(const RequestsLayer& f, RequestSpec& spec, const std::string& user) {
  const auto known = f.users.find(user);
  if (known == f.users.end()) return Lasting::kAsAsked;
  std::optional<std::pair<Span, Lasting>> longest;
  for (const PartSpec& part : spec.parts) {
    for (const std::string& name : partitioner::EligibleSites(part, f.site_names)) {
      const auto here = LastsAt(f.sites.at(name), spec.duration, known->second);
      if (here && (!longest || here->first > longest->first)) longest = here;
    }
  }
  if (!longest && spec.duration == Span{0} && f.options.duration) {
    longest = {*f.options.duration, Lasting::kByDefault};
  }
  if (!longest) return Lasting::kAsAsked;
  spec.duration = longest->first;
  return longest->second;
}

Fault CheckRequest(const RequestsLayer& f, const RequestSpec& spec, Moment now, bool with_payload) {
  if (Fault fault = verifier::CheckName(spec)) return fault;
  const std::vector<Queue>& queues = f.options.queues;
  const bool listed = std::any_of(queues.begin(), queues.end(),
                                  [&](const Queue& queue) { return queue.name == spec.queue; });
  if (!listed) {
    std::string known;
    for (const Queue& queue : queues) known += (known.empty() ? "" : ", ") + queue.name;
    return Usage("no queue '" + spec.queue + "'", "its queues: " + known);
  }
  if (Fault fault = CheckParts(f, spec)) return fault;
  if (Fault fault = verifier::CheckTimes(spec, now)) return fault;
  if (Fault fault = verifier::CheckWindow(spec, ShortestLength(f, spec), now)) return fault;
  if (Fault fault = verifier::CheckNotice(spec)) return fault;
  if (Fault fault = CheckArray(spec)) return fault;
  if (Fault fault = verifier::CheckReservation(spec)) return fault;
  if (Fault fault = CheckAfter(f, spec)) return fault;
  return with_payload && !spec.reserves ? verifier::CheckPayload(spec) : std::nullopt;
}

Fault NeverRuns(const RequestsLayer& f, const RequestSpec& spec, const std::string& user,
                Moment now) {
  if (Fault fault = CheckNeverLimited(f, spec, user, now)) return fault;
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
