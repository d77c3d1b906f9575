// A job without a row in the resource file asks for one chunk per processor, each with its memory,
// since no trace tells how its processors were spread.
#include "sim/replay/site_workload.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/calendar.h"
#include "base/units.h"

namespace muster::sim {
namespace {

constexpr char kKind[] = "kind";
constexpr int64_t kMostNodesInAll = 100000;
constexpr int64_t kMostPerNode = int64_t{1} << 20;
constexpr size_t kMachineColumns = 6;
constexpr size_t kResourceColumns = 6;

std::vector<std::string_view> Split(std::string_view text, char by) {
  std::vector<std::string_view> out;
  for (;;) {
    const size_t at = text.find(by);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::optional<int64_t> Number(std::string_view text, int64_t least, int64_t most) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < least || value > most) return std::nullopt;
  return value;
}

absl::Status AddNodes(const std::string& kind, int64_t count, int64_t cpus, int64_t memory,
                      std::vector<site::Node>& out) {
  if (static_cast<int64_t>(out.size()) + count > kMostNodesInAll) {
    return InvalidArgument("more than " + std::to_string(kMostNodesInAll) + " nodes");
  }
  for (int64_t n = 1; n <= count; ++n) {
    site::Node node{.name = kind + std::to_string(n),
                    .resources = {{"ncpus", cpus}},
                    .properties = {{kKind, kind}}};
    if (memory > 0) node.resources.Set("mem", memory);
    out.push_back(std::move(node));
  }
  return absl::OkStatus();
}

// A PBS specification such as "8:ppn=2:cl_zewura#excl": the chunks' sizes and kinds. Unknown words
// are only counted.
struct Specification {
  std::vector<schemas::Chunk> chunks;
  bool exclusive = false;
  size_t ignored = 0;
};

Specification ReadSpecification(std::string_view text,
                                const std::set<std::string, std::less<>>& kinds) {
  Specification out;
  const size_t flags = text.find('#');
  if (flags != std::string_view::npos) {
    out.exclusive = text.substr(flags).starts_with("#excl");
    text = text.substr(0, flags);
  }
  for (const std::string_view chunk_text : Split(text, '+')) {
    schemas::Chunk chunk{.resources = {{"ncpus", 1}}};
    bool first = true;
    for (const std::string_view word : Split(chunk_text, ':')) {
      constexpr std::string_view kPerNode = "ppn=";
      constexpr std::string_view kCluster = "cl_";
      const auto cpus = word.starts_with(kPerNode)
                            ? Number(word.substr(kPerNode.size()), 1, kMostPerNode)
                            : std::nullopt;
      if (cpus) {
        chunk.resources.Set("ncpus", *cpus);
      } else if (const auto count = Number(word, 1, kMostNodesInAll); first && count) {
        chunk.count = static_cast<uint32_t>(*count);
      } else if (word.starts_with(kCluster) && kinds.contains(word.substr(kCluster.size()))) {
        chunk.properties[kKind] = std::string(word.substr(kCluster.size()));
      } else {
        ++out.ignored;
      }
      first = false;
    }
    out.chunks.push_back(std::move(chunk));
  }
  return out;
}

int64_t Processors(const std::vector<schemas::Chunk>& chunks) {
  int64_t sum = 0;
  for (const schemas::Chunk& chunk : chunks) sum += chunk.count * chunk.resources.Get("ncpus");
  return sum;
}

std::vector<schemas::Chunk> OneByOne(const SwfJob& job) {
  schemas::Chunk chunk{
      .count = static_cast<uint32_t>(std::min<int64_t>(job.processors, UINT32_MAX)),
      .resources = {{"ncpus", 1}}};
  if (job.memory_kb) chunk.resources.Set("mem", *job.memory_kb * 1024);
  return {chunk};
}

ReplayJob JobOf(const SwfJob& job, const ResourceFile& resources, int64_t arrives) {
  ReplayJob out{.number = job.number,
                .arrives = {arrives},
                .runs = {job.ran},
                .user = "u" + std::to_string(job.user),
                .group = "g" + std::to_string(job.group)};
  out.spec.name = "j" + std::to_string(job.number);
  out.spec.duration = {job.asked};
  schemas::PartSpec part;
  const auto asked = resources.jobs.find(job.number);
  if (asked != resources.jobs.end() && Processors(asked->second.chunks) == job.processors) {
    part.chunks = asked->second.chunks;
    part.exclusive = asked->second.exclusive;
  } else {
    part.chunks = OneByOne(job);
  }
  out.spec.parts = {std::move(part)};
  return out;
}

}  // namespace

absl::StatusOr<std::vector<site::Node>> NodesFromText(std::string_view text) {
  std::vector<site::Node> out;
  char kind = 'a';
  for (const std::string_view piece : Split(text, ',')) {
    const std::vector<std::string_view> halves = Split(piece, ':');
    const std::vector<std::string_view> sides = Split(halves[0], 'x');
    const auto count = Number(sides[0], 1, kMostNodesInAll);
    const auto cpus = sides.size() == 2 ? Number(sides[1], 1, kMostPerNode) : std::nullopt;
    int64_t memory = 0;
    if (halves.size() == 2) {
      MUSTER_ASSIGN_OR_RETURN(memory, ParseSize(halves[1]));
    }
    if (!count || !cpus || halves.size() > 2 || kind > 'z') {
      return InvalidArgument("'" + std::string(piece) +
                             "' is no nodes; as in 616x16 or 20x80:512gb");
    }
    MUSTER_RETURN_IF_ERROR(AddNodes(std::string(1, kind++), *count, *cpus, memory, out));
  }
  return out;
}

absl::StatusOr<std::vector<site::Node>> NodesFromFile(const std::string& name,
                                                      std::string_view text) {
  std::vector<site::Node> out;
  size_t line = 0;
  for (const std::string_view row : Split(text, '\n')) {
    ++line;
    if (row.empty()) continue;
    const std::vector<std::string_view> cells = Split(row, '\t');
    const bool whole = cells.size() == kMachineColumns;
    const auto count = whole ? Number(cells[2], 1, kMostNodesInAll) : std::nullopt;
    const auto cpus = whole ? Number(cells[3], 1, kMostPerNode) : std::nullopt;
    const auto memory = whole ? Number(cells[5], 0, int64_t{1} << 50) : std::nullopt;
    if (!count || !cpus || !memory) {
      return InvalidArgument(name + ":" + std::to_string(line) +
                             ": a kind of nodes is a number, a name, nodes, processors, a number "
                             "and memory in KB, by tabs");
    }
    MUSTER_RETURN_IF_ERROR(AddNodes(std::string(cells[1]), *count, *cpus, *memory * 1024, out));
  }
  return out;
}

absl::StatusOr<ResourceFile> ReadResourceFile(const std::string& name, std::string_view text,
                                              const std::vector<site::Node>& nodes) {
  std::set<std::string, std::less<>> kinds;
  for (const site::Node& node : nodes) {
    const auto kind = node.properties.find(kKind);
    if (kind != node.properties.end()) kinds.insert(kind->second);
  }
  ResourceFile out;
  size_t line = 0;
  for (const std::string_view row : Split(text, '\n')) {
    if (++line == 1 || row.empty()) continue;
    const std::vector<std::string_view> cells = Split(row, '\t');
    const bool whole = cells.size() >= kResourceColumns;
    const auto job = whole ? Number(cells[0], 0, INT64_MAX) : std::nullopt;
    const auto memory = whole ? Number(cells[3], 0, int64_t{1} << 50) : std::nullopt;
    if (!job || !memory) {
      return InvalidArgument(name + ":" + std::to_string(line) +
                             ": a row is job, processors, nodes, bytes of memory on a node, queue "
                             "and specification, by tabs");
    }
    Specification asked = ReadSpecification(cells[5], kinds);
    for (schemas::Chunk& chunk : asked.chunks) {
      if (*memory > 0) chunk.resources.Set("mem", *memory);
    }
    out.words_ignored += asked.ignored;
    out.jobs[*job] = {std::move(asked.chunks), asked.exclusive};
  }
  return out;
}

int64_t BusiestDay(const SwfTrace& trace) {
  std::map<int64_t, size_t> arrivals;
  for (const SwfJob& job : trace.jobs) ++arrivals[job.submitted / kDaySeconds];
  return std::max_element(arrivals.begin(), arrivals.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

SiteWorkload MakeSiteWorkload(const SwfTrace& trace, const ResourceFile& resources,
                              const Selection& selection) {
  SiteWorkload out;
  const int64_t begin = selection.day ? *selection.day * kDaySeconds : 0;
  const int64_t end = selection.day ? begin + kDaySeconds : INT64_MAX;
  out.began = trace.began + begin;
  std::vector<ReplayJob> waiting;
  std::vector<ReplayJob> arriving;
  for (const SwfJob& job : trace.jobs) {
    if (job.submitted >= end) break;
    if (job.submitted >= begin) {
      arriving.push_back(JobOf(job, resources, job.submitted - begin));
      continue;
    }
    if (!job.waited) continue;  // unknown whether it was still there
    const int64_t started = job.submitted + *job.waited;
    if (started >= begin) {
      waiting.push_back(JobOf(job, resources, 0));
    } else if (started + job.ran > begin) {
      SwfJob rest = job;
      rest.ran -= begin - started;
      rest.asked -= begin - started;
      out.jobs.push_back(JobOf(rest, resources, 0));
    }
  }
  out.running = out.jobs.size();
  out.waiting = waiting.size();
  out.jobs.insert(out.jobs.end(), waiting.begin(), waiting.end());
  out.jobs.insert(out.jobs.end(), arriving.begin(), arriving.end());
  if (selection.jobs && out.jobs.size() > *selection.jobs) out.jobs.resize(*selection.jobs);
  out.running = std::min(out.running, out.jobs.size());
  out.waiting = std::min(out.waiting, out.jobs.size() - out.running);
  return out;
}

}  // namespace muster::sim
