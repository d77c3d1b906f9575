// Reads option groups, lets the script fill in what the command line leaves out, and builds the
// request.
#include "cli/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/chunks.h"
#include "base/text/words.h"
#include "cli/part_options.h"
#include "schemas/limits.h"

namespace muster::cli {
namespace {

constexpr char kNothing[] = "nothing was submitted";

// The option groups of a command line, or of a script's #MUSTER lines.
struct Groups {
  std::vector<PartOptions> parts;
  JobOptions job;
  Given first;
  std::vector<std::string> rest;  // words after the options: "--" and a command, or a script
  bool parts_given = false;       // chunks or a ':' were given
};

Expect<Groups> ReadGroups(const Options& options, std::vector<std::string> words,
                          const Source& source, const Surroundings& around) {
  Groups groups;
  while (true) {
    auto given = options.Parse(words);
    if (!given.ok()) {
      Failure failure = given.failure();
      // Points at the word in the script: "unknown option '--aprt'".
      const std::string& message = failure.diagnostic.message;
      const size_t quote = message.find('\'');
      if (!source.words.empty() && quote != std::string::npos) {
        const std::string word =
            message.substr(quote + 1, message.find('\'', quote + 1) - quote - 1);
        failure.diagnostic = source.Place(word, word, failure.diagnostic);
      }
      return failure;
    }
    auto part = ReadPart(given.value(), source);
    if (!part.ok()) return part.failure();
    auto job = ReadJob(given.value(), source, around.now, around.zone, std::move(groups.job));
    if (!job.ok()) return job.failure();
    groups.job = std::move(job.value());
    if (part->walltime) {
      if (groups.job.duration && *groups.job.duration != *part->walltime) {
        return UsageError("-t and -l walltime= differ", "every part has the duration of the job");
      }
      groups.job.duration = part->walltime;
    }
    groups.parts_given = groups.parts_given || part->chunks;
    groups.parts.push_back(std::move(part.value()));
    if (groups.parts.size() == 1) groups.first = given.value();
    if (given->words.empty() || given->words.front() != ":") {
      groups.rest = std::move(given->words);
      return groups;
    }
    groups.parts_given = true;
    words.assign(given->words.begin() + 1, given->words.end());
    if (groups.parts.size() == schemas::kPartsPerRequest) {
      return UsageError(fmt::format("more than {} parts", schemas::kPartsPerRequest));
    }
  }
}

std::vector<std::string> Texts(const std::vector<text::Word>& words) {
  std::vector<std::string> texts;
  for (const text::Word& word : words) texts.push_back(word.text);
  return texts;
}

// Reads the options of a script's #MUSTER lines. A command there is an error: users would expect it
// to run.
Expect<Groups> ReadScriptGroups(const Options& options, const std::string& script,
                                const std::string& path, const Surroundings& around) {
  auto words = text::ScriptOptions(script, path);
  if (!words.ok()) return words.diagnostic();
  Source source{words.value()};
  auto groups = ReadGroups(options, Texts(words.value()), source, around);
  if (!groups.ok()) return groups.failure();
  if (!groups->rest.empty()) {
    const std::string& word = groups->rest.front();
    return source.Place(word, word,
                        UsageError("'" + word + "' is no option",
                                   "#MUSTER lines hold options only; the script is the command")
                            .diagnostic);
  }
  return groups;
}

// The parts of the request: the script's, unless the command line gives its own. Part options
// without chunks on the command line change the script's only part.
Expect<std::vector<PartOptions>> PartsOf(const Groups& line, const std::optional<Groups>& script) {
  if (line.parts_given || !script) return line.parts;
  const PartOptions& over = line.parts.front();
  if (!over.any()) return script->parts;
  if (script->parts.size() > 1) {
    return UsageError(
        fmt::format("--site, --place and --offset belong to a part, and the script has {}",
                    script->parts.size()),
        "give the parts here too: they replace the script's");
  }
  std::vector<PartOptions> parts = script->parts;
  if (over.place) parts.front().place = over.place;
  parts.front().exclusive = over.place ? over.exclusive : parts.front().exclusive;
  if (over.sites) parts.front().sites = over.sites;
  if (over.offset) parts.front().offset = over.offset;
  if (over.set) parts.front().set = over.set;
  return parts;
}

std::string BaseName(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.size() > schemas::kNameBytes) name.resize(schemas::kNameBytes);
  return name.empty() ? "job" : name;
}

Expect<schemas::Payload> ReadPayload(const std::vector<std::string>& rest,
                                     const Surroundings& around) {
  schemas::Payload payload;
  payload.submit_dir = around.directory;
  if (rest.front() == "--") {
    payload.argv.assign(rest.begin() + 1, rest.end());
    if (payload.argv.empty() || payload.argv.front().empty()) {
      return UsageError("no command follows '--'", "as in -- ./solve grid.dat");
    }
    return payload;
  }
  auto script = around.read_file(rest.front());
  if (!script.ok()) return script.failure();
  if (script->size() > schemas::kScriptBytes) {
    return UsageError(fmt::format("{}: a script has at most 1mb, this one has {} bytes",
                                  rest.front(), script->size()),
                      "let a short script start what is already at the site");
  }
  if (script->empty()) return UsageError(rest.front() + ": the script is empty");
  if (script->find('\0') != std::string::npos) {
    return UsageError(rest.front() + " is a program, not a script",
                      "muster submit … -- " + rest.front());
  }
  payload.script = std::move(script.value());
  payload.argv.assign(rest.begin() + 1, rest.end());
  return payload;
}

Expect<schemas::RequestSpec> Assemble(Asked asked, const std::vector<PartOptions>& parts,
                                      const JobOptions& job) {
  schemas::RequestSpec request;
  for (const PartOptions& given : parts) {
    schemas::PartSpec part;
    part.chunks = given.chunks.value_or(std::vector<schemas::Chunk>{{1, {{"ncpus", 1}}, {}}});
    part.place = given.place.value_or(schemas::Place::kFree);
    part.exclusive = given.exclusive;
    part.jobwide = given.jobwide;
    part.set = given.set.value_or("");
    part.sites = given.sites.value_or(std::vector<std::string>{});
    part.not_sites = job.not_sites;
    part.offset = given.offset.value_or(Span{0});
    for (const std::string& site : part.sites) {
      if (std::find(job.not_sites.begin(), job.not_sites.end(), site) != job.not_sites.end()) {
        return UsageError("'" + site + "' is in --site and in --not-site");
      }
    }
    request.parts.push_back(std::move(part));
  }
  if (!job.duration && asked == Asked::kReserve) {
    return UsageError("how long? -t is missing", "as in -t 30m");
  }
  if (job.at && (job.from || job.start_by)) {
    return UsageError("--at leaves no room for --from or --start-by", "--at TIME is exactly then");
  }
  if (job.from && job.start_by && *job.start_by < *job.from) {
    return UsageError("--start-by is before --from");
  }
  request.duration =
      job.duration.value_or(Span{0});  // 0: the default of the sites, else that of the federation
  request.apart = job.apart;
  request.at = job.at;
  request.from = job.from;
  request.start_by = job.start_by;
  request.deadline = job.deadline;
  request.queue = job.queue.value_or("normal");
  request.account = job.account.value_or("");
  request.qos = job.qos.value_or("");
  if (job.recall) request.contract = schemas::Contract{.way = *job.recall};
  request.rerunnable = job.rerunnable;
  request.keep_going = job.keep_going;
  request.array = job.array;
  request.after = job.after;
  request.firm = job.firm;
  request.inside = job.inside;
  request.slots = IntervalSet(job.slots);
  request.notice = job.notice;
  request.start_notice = job.start_notice;
  request.request_class =
      job.interactive ? schemas::RequestClass::kInteractive : schemas::RequestClass::kBatch;
  return request;
}

Expect<Submission> Read(Asked asked, const std::vector<std::string>& words,
                        const Surroundings& around) {
  const Options options = RequestOptions(asked);
  auto line = ReadGroups(options, words, Source{}, around);
  if (!line.ok()) return line.failure();
  schemas::Payload payload;
  std::optional<Groups> script;
  if (asked == Asked::kReserve && !line->rest.empty()) {
    return UsageError("'" + line->rest.front() + "': a reservation runs nothing",
                      "muster submit --in R7 … runs in it");
  }
  if (!line->rest.empty()) {
    auto read = ReadPayload(line->rest, around);
    if (!read.ok()) return read.failure();
    payload = std::move(read.value());
  } else if (asked == Asked::kSubmit) {
    return UsageError("nothing to run", "muster submit … job.sh, or muster submit … -- command");
  }
  if (!payload.script.empty()) {
    auto groups = ReadScriptGroups(options, payload.script, line->rest.front(), around);
    if (!groups.ok()) return groups.failure();
    script = std::move(groups.value());
  }
  auto parts = PartsOf(line.value(), script);
  if (!parts.ok()) return parts.failure();
  const JobOptions job = script ? Merged(line->job, script->job) : line->job;
  auto request = Assemble(asked, parts.value(), job);
  if (!request.ok()) return request.failure();
  request->payload = std::move(payload);
  if (job.name) {
    request->name = *job.name;
  } else if (!line->rest.empty()) {
    const bool command = line->rest.front() == "--";
    request->name = BaseName(command ? line->rest[1] : line->rest.front());
  } else {
    request->name = asked == Asked::kReserve ? "reserved" : "ask";
  }
  if (asked == Asked::kReserve) {
    request->reserves =
        schemas::ReservationSpec{.allow = job.allow.value_or(std::vector<std::string>{}),
                                 .confirm_within = job.provisional,
                                 .every = job.every};
    // Each part of a reservation is at its own site.
    request->apart = request->parts.size() > 1;
  }
  return Submission{std::move(request.value()), job.once, std::move(line->first)};
}

}  // namespace

Options RequestOptions(Asked asked) {
  const bool submit = asked == Asked::kSubmit;
  if (asked == Asked::kSlots) {
    Options options("slots [options]", "Free windows that a request of one part fits.",
                    Words::kEnd);
    options.Values("-l", "CHUNKS", "what it needs: 2:ncpus=4:mem=2gb+1:ngpus=1")
        .Value("-t,--time", "DURATION", "how long: 90s, 1h30m, 2d, 08:00:00")
        .Value("--site", "A,B|any", "only these sites")
        .Value("--place", "HOW", "free, pack or scatter, and :excl for whole nodes")
        .Value("--set", "SET", "nodes alike, as in speed~10%:oneof; none: any")
        .Value("--group", "HOW", "switch: all nodes below one switch")
        .Value("--in", "RESERVATION", "inside of it, as in R7")
        .Value("--within", "DURATION", "windows that begin from now on so far; else 1d")
        .Globals();
    return options;
  }
  if (asked == Asked::kReserve) {
    Options options("reserve [options] [: options]", "Sets resources aside for people and times.",
                    Words::kEnd);
    options.Values("-l", "CHUNKS", "what is set aside: 1:ncpus=4, 2:ncpus=16")
        .Value("-t,--time", "DURATION", "how long: 90s, 1h30m, 2d, 08:00:00")
        .Value("-n,--name", "NAME", "its name")
        .Value("--site", "A,B|any", "sites it may be at")
        .Value("--not-site", "A,B", "sites it may not be at")
        .Value("--place", "HOW", "free, pack or scatter, and :excl for whole nodes")
        .Value("--set", "SET", "nodes alike, as in speed~10%:oneof; none: any")
        .Value("--group", "HOW", "switch: all nodes below one switch")
        .Value("--at", "TIME", "from exactly then; else as early as possible")
        .Value("--from", "TIME", "not before")
        .Value("--start-by", "TIME", "begins by then")
        .Value("--deadline", "TIME", "ended by")
        .Values("--slot", "FROM-TO", "wholly inside one of these")
        .Value("--allow", "NAMES", "who may, besides you: ana,@students,'account chem'")
        .Value("--provisional", "DURATION", "given back unless confirmed so soon")
        .Value("--every", "TIMES", "again and again: 'cron 0 8 * * Mon'")
        .Value("-A,--account", "NAME", "for this account; else your first")
        .Value("--qos", "NAME", "quality of service; else your usual one")
        .Value("--once", "TEXT", "the second with this TEXT is the same reservation")
        .Globals()
        .Note(
            "Parts, split by a lone ':', are each at a site of their own: all or none.\n"
            "Use it: muster submit --in R7 …   Change it: muster alter R7 …, --confirm\n");
    return options;
  }
  Options options(
      submit ? "submit [options] script [args]   or   -- command" : "ask [options] [script]",
      submit ? "Runs a script or command, on one site or on several at once."
             : "When would it start, and where? Changes nothing.",
      Words::kEnd);
  options.Values("-l", "CHUNKS", "what it needs: 2:ncpus=4:mem=2gb+1:ngpus=1")
      .Value("-t,--time", "DURATION", "how long at most: 90s, 1h30m, 2d; else a default")
      .Value("-n,--name", "NAME", "its name; else the command's")
      .Value("--site", "A,B|any", "sites this part may run on")
      .Value("--not-site", "A,B", "sites the job may not run on")
      .Value("--place", "HOW", "free, pack or scatter, and :excl for whole nodes")
      .Flag("--apart", "each part on its own site")
      .Value("--offset", "DURATION", "this part starts so long after the start")
      .Value("--at", "TIME", "start exactly then: 22:30, now+2h, 2026-11-21T09:00")
      .Value("--from", "TIME", "not before")
      .Value("--start-by", "TIME", "latest start")
      .Value("--deadline", "TIME", "ended by")
      .Values("--slot", "FROM-TO", "wholly inside one of these: 22:00-23:30")
      .Value("--in", "RESERVATION", "inside of this reservation, as in R7")
      .Value("--set", "SET", "nodes alike, as in speed~10%:oneof; none: any")
      .Value("--group", "HOW", "switch: all nodes of this part below one switch")
      .Value("--notice", "BEFORE[:SIGNAL]", "before its time ends: 5m:USR1, 5m:./save")
      .Value("--start-notice", "DURATION", "no earlier start nearer than this; 0: at once is fine")
      .Values("--after", "JOBS", "once these ended well: 41; any:41, fail:41 otherwise")
      .Value("-a,--array", "ELEMENTS", "1-100, 1-100:2, 1-100%20 (20 at once)")
      .Value("--queue", "NAME", "else 'normal'")
      .Value("-A,--account", "NAME", "for this account; else your first")
      .Value("--qos", "NAME", "quality of service; else your usual one")
      .Value("--recall", "HOW", "early on idle room: requeue, checkpoint or suspend")
      .Flag("--interactive", "somebody waits for it")
      .Flag("--firm", "promised at submission, behind all others")
      .Flag("--rerunnable", "may start again after an unknown outcome")
      .Flag("--keep-going", "one part's failure ends no other")
      .Value("--once", "TEXT", "the second submission with this TEXT is the same job");
  if (submit) options.Flag("-f,--follow", "print its output, end as it ends");
  options.Later("--input").Later("--output");
  if (!submit) options.Later("-f,--follow");
  options.Globals();
  options.Note(
      "Parts are split by a lone ':'; -l, --place, --site and --offset belong to their\n"
      "part. '#MUSTER' lines at the top of a script hold options too; the command line\n"
      "stands over them. After '--' everything is the command.\n");
  return options;
}

Expect<Submission> ReadSubmission(Asked asked, const std::vector<std::string>& words,
                                  const Surroundings& around) {
  auto submission = Read(asked, words, around);
  if (submission.ok() || (asked != Asked::kSubmit && asked != Asked::kReserve)) return submission;
  // For a malformed option it is obvious that nothing was submitted. An error of another
  // kind says that explicitly.
  Failure failure = submission.failure();
  if (failure.diagnostic.code != "usage") failure.changed = kNothing;
  return failure;
}

std::string ChunksOption(const std::vector<schemas::Chunk>& chunks) {
  std::vector<text::ChunkText> texts;
  for (const schemas::Chunk& chunk : chunks) {
    texts.push_back({chunk.count, chunk.resources, chunk.properties, chunk.least, chunk.most});
  }
  return text::ChunksText(texts);
}

}  // namespace muster::cli
