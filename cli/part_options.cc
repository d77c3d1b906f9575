// Parses the values of options with base/text and base/units; errors point at the value.
#include "cli/part_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/status.h"
#include "base/text/chunks.h"
#include "base/text/jobs.h"
#include "base/text/validity.h"
#include "base/text/when.h"
#include "base/units.h"
#include "cli/set_options.h"
#include "schemas/limits.h"

namespace muster::cli {
namespace {

Diagnostic Usage(std::string message, std::string help) {
  return UsageError(std::move(message), std::move(help)).diagnostic;
}

std::vector<std::string> SplitAt(const std::string& text, char separator) {
  std::vector<std::string> out;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// Turns the help "30m or 30s" into "-t 30m or -t 30s"; "as in …" stays unchanged.
std::string HelpFor(const std::string& option, const std::string& help) {
  if (help.starts_with("as in")) return help;
  const size_t at = help.find(" or ");
  if (at == std::string::npos) return option + " " + help;
  return option + " " + help.substr(0, at) + " or " + option + " " + help.substr(at + 4);
}

Expect<Span> ReadDuration(const std::string& option, const std::string& value,
                          const Source& source) {
  const auto span = ParseDuration(value);
  if (span.ok()) return *span;
  const std::string why(Text(span.status()));
  // Some messages already contain the text.
  const bool named = why.find("'" + value + "'") != std::string::npos;
  return source.Place(option, value,
                      Usage(option + " " + (named ? "" : value + ": ") + why,
                            HelpFor(option, DurationHelp(value))));
}

Expect<Instant> ReadWhen(const std::string& option, const std::string& value, const Source& source,
                         Instant now, const text::Zone& zone) {
  const auto at = text::ParseWhen(value, now, zone);
  if (at.ok()) return at.value();
  Diagnostic wrong = at.diagnostic();
  wrong.message = option + " " + wrong.message;
  return source.Place(option, value, std::move(wrong));
}

Expect<PartOptions> ReadPlace(const std::string& option, const std::string& value,
                              const Source& source, PartOptions part) {
  static const std::vector<std::string> kWords = {"free", "pack", "scatter", "excl", "shared"};
  for (const std::string& word : SplitAt(value, ':')) {
    if (word == "free") {
      part.place = schemas::Place::kFree;
    } else if (word == "pack") {
      part.place = schemas::Place::kPack;
    } else if (word == "scatter") {
      part.place = schemas::Place::kScatter;
    } else if (word == "excl") {
      part.exclusive = true;
      if (!part.place) part.place = schemas::Place::kFree;
    } else if (word == "shared") {
      part.exclusive = false;
      if (!part.place) part.place = schemas::Place::kFree;
    } else {
      std::string help = DidYouMean(word, kWords);
      if (help.empty()) help = "free, pack or scatter, and :excl for whole nodes";
      return source.Place(option, value,
                          Usage(option + ": unknown placement '" + word + "'", help));
    }
  }
  return part;
}

Expect<std::vector<std::string>> ReadSites(const std::string& option, const std::string& value,
                                           const Source& source) {
  std::vector<std::string> sites;
  if (option == "--site" && value == "any") return sites;
  for (std::string& site : SplitAt(value, ',')) {
    if (site.empty() || site.size() > schemas::kNameBytes) {
      return source.Place(option, value,
                          Usage(option + " '" + value + "': expected names of sites by comma",
                                "as in " + option + " lakes,woods"));
    }
    if (std::find(sites.begin(), sites.end(), site) == sites.end())
      sites.push_back(std::move(site));
  }
  return sites;
}

Expect<PartOptions> ReadChunks(const std::string& value, const Source& source, PartOptions part) {
  if (part.chunks) {
    return source.Place(
        "-l", value,
        Usage("-l is given twice in one part", "join chunks by '+', separate parts by a lone ':'"));
  }
  const auto read = text::ParsePart(value);
  if (!read.ok()) return source.Place("-l", value, read.diagnostic());
  part.chunks.emplace();
  for (const text::ChunkText& chunk : read->chunks) {
    part.chunks->push_back(
        {chunk.count, chunk.resources, chunk.properties, chunk.least, chunk.most});
    for (const auto& [name, wanted] : read->properties) {
      const auto [own, added] = part.chunks->back().properties.insert({name, wanted});
      if (added || own->second == wanted) continue;
      return source.Place("-l", value,
                          Usage("-l: a chunk asks for " + name + "=" + own->second +
                                    ", and all of them for " + name + "=" + wanted,
                                "one of them"));
    }
  }
  part.jobwide = read->jobwide;
  if (read->place) part.place = static_cast<schemas::Place>(*read->place);
  if (read->exclusive) {
    part.exclusive = *read->exclusive;
    if (!part.place) part.place = schemas::Place::kFree;
  }
  if (read->walltime) part.walltime = read->walltime;
  return part;
}

template <class T>
Expect<std::optional<T>> Once(const std::string& option, const std::optional<T>& before, T value) {
  if (before && *before != value) return UsageError("'" + option + "' is given twice, differently");
  return std::optional<T>(std::move(value));
}

}  // namespace

// Parses "22:00-23:30". The two times may contain dashes themselves, so every dash is tried.
Expect<std::vector<Interval>> ReadSlots(const std::vector<std::string>& values,
                                        const Source& source, Instant now, const text::Zone& zone) {
  std::vector<Interval> slots;
  for (const std::string& value : values) {
    std::optional<Interval> slot;
    for (size_t dash = value.find('-'); dash != std::string::npos && !slot;
         dash = value.find('-', dash + 1)) {
      const auto from = text::ParseWhen(value.substr(0, dash), now, zone);
      if (!from.ok()) continue;
      // "22:00-01:00" ends the next day; "now+2h-now+1h" is wrong on any day.
      auto to = text::ParseWhen(value.substr(dash + 1), now, zone);
      const bool of_any_day = !value.substr(dash + 1).starts_with("now");
      if (to.ok() && to.value() <= from.value() && of_any_day) {
        to = text::ParseWhen(value.substr(dash + 1), from.value(), zone);
      }
      if (to.ok() && from.value() < to.value()) slot = Interval{from.value(), to.value()};
    }
    if (!slot) {
      return source.Place("--slot", value,
                          Usage("--slot " + value + ": expected two times, the later last",
                                "as in --slot 22:00-23:30, or 2026-11-21T09:00-2026-11-21T17:00"));
    }
    slots.push_back(*slot);
  }
  return slots;
}

Expect<Span> ReadStartNotice(const std::string& value, const Source& source) {
  if (value == "0") return Span{0};
  return ReadDuration("--start-notice", value, source);
}

Expect<schemas::Notice> ReadNotice(const std::string& value, const Source& source) {
  const size_t colon = value.find(':');
  auto before = ReadDuration("--notice", value.substr(0, colon), source);
  if (!before.ok()) return before.failure();
  schemas::Notice notice{.before = before.value(), .signal = "USR1"};
  if (colon != std::string::npos) notice.signal = value.substr(colon + 1);
  if (notice.signal.find_first_of("/ ") != std::string::npos) {
    // A shell command, run beside the job.
    notice.argv = {"/bin/sh", "-c", std::exchange(notice.signal, "")};
    return notice;
  }
  if (notice.signal.starts_with("SIG")) notice.signal.erase(0, 3);
  if (notice.signal.empty()) {
    return source.Place("--notice", value,
                        Usage("--notice " + value + ": which signal?", "as in --notice 5m:USR1"));
  }
  return notice;
}

namespace {

// Parses the times of a standing reservation: a cron validity without its duration, which -t gives.
Expect<schemas::Recurrence> ReadEvery(const std::string& value, const Source& source) {
  constexpr char kExample[] = "as in --every 'cron 0 8 * * Mon'";
  if (!value.starts_with("cron ") || value.find(" for ") != std::string::npos) {
    return source.Place(
        "--every", value,
        Usage("--every " + value + ": expected cron and its five fields", kExample));
  }
  const auto read = text::ParseValidity(value + " for 1s");
  if (!read.ok()) {
    Diagnostic wrong = read.diagnostic();
    wrong.message = "--every: " + wrong.message;
    if (wrong.where) wrong.where->source_line = value;
    return source.Place("--every", value, std::move(wrong));
  }
  const CronTimes& times = read->times;
  return schemas::Recurrence{times.minutes, times.hours, times.days, times.months, times.weekdays};
}

// Reads --in, --slot, --notice, --start-notice and the options of reservations.
Expect<JobOptions> ReadReserved(const Given& given, const Source& source, Instant now,
                                const text::Zone& zone, JobOptions job) {
  if (given.Has("--in")) {
    const std::string& value = given.Value("--in");
    const auto name = text::ParseShownJob(value);
    if (!name || !name->reservation || name->part || name->element) {
      return source.Place("--in", value,
                          Usage("--in " + value + ": that is no reservation", "as in --in R7"));
    }
    job.inside = RequestId{name->job};
  }
  auto slots = ReadSlots(given.All("--slot"), source, now, zone);
  if (!slots.ok()) return slots.failure();
  job.slots.insert(job.slots.end(), slots.value().begin(), slots.value().end());
  if (given.Has("--notice")) {
    auto notice = ReadNotice(given.Value("--notice"), source);
    if (!notice.ok()) return notice.failure();
    job.notice = std::move(notice.value());
  }
  if (given.Has("--start-notice")) {
    const auto span = ReadStartNotice(given.Value("--start-notice"), source);
    if (!span.ok()) return span.failure();
    job.start_notice = span.value();
  }
  if (given.Has("--allow")) {
    auto allow = ReadAllow(given.Value("--allow"), source);
    if (!allow.ok()) return allow.failure();
    job.allow = std::move(allow.value());
  }
  if (given.Has("--provisional")) {
    const auto span = ReadDuration("--provisional", given.Value("--provisional"), source);
    if (!span.ok()) return span.failure();
    job.provisional = span.value();
  }
  if (given.Has("--every")) {
    const auto every = ReadEvery(given.Value("--every"), source);
    if (!every.ok()) return every.failure();
    job.every = every.value();
  }
  return job;
}

Failure TooManyToFollow() {
  return UsageError(
      fmt::format("--after: at most {} jobs can be waited for", schemas::kDependencies),
      "a job that waits for them all may stand between");
}

// Reads -a and --after.
Expect<JobOptions> ReadSeveral(const Given& given, const Source& source, JobOptions job) {
  if (given.Has("-a")) {
    const std::string& value = given.Value("-a");
    const auto array = text::ParseArray(value);
    if (!array.ok()) return source.Place("-a", value, array.diagnostic());
    auto once = Once("-a", job.array,
                     schemas::ArraySpec{.first = array->first,
                                        .last = array->last,
                                        .step = array->step,
                                        .at_once = array->at_once});
    if (!once.ok()) return once.failure();
    job.array = once.value();
  }
  auto after = ReadAfter(given.All("--after"), source);
  if (!after.ok()) return after.failure();
  for (const schemas::Dependency& one : after.value()) {
    if (std::find(job.after.begin(), job.after.end(), one) == job.after.end()) {
      job.after.push_back(one);
    }
  }
  if (job.after.size() > schemas::kDependencies) return TooManyToFollow();
  return job;
}

}  // namespace

Expect<std::vector<schemas::Dependency>> ReadAfter(const std::vector<std::string>& values,
                                                   const Source& source) {
  std::vector<schemas::Dependency> out;
  for (const std::string& value : values) {
    const auto after = text::ParseAfter(value);
    if (!after.ok()) return source.Place("--after", value, after.diagnostic());
    for (const text::AfterText& one : *after) {
      if (!one.job.site.empty()) {
        return source.Place(
            "--after", value,
            Usage("--after " + value + ": a job of a site alone is known there only",
                  fmt::format("with --via {}, --after {}", one.job.site, one.job.job)));
      }
      RequestId id{one.job.job};
      if (id.value >= RequestId::kJobs) {
        return source.Place("--after", value,
                            Usage("--after " + value + ": there is no such job", ""));
      }
      if (one.job.element) id = id.element(*one.job.element);
      const schemas::Dependency dependency{static_cast<schemas::DependencyKind>(one.kind), id};
      if (std::find(out.begin(), out.end(), dependency) == out.end()) out.push_back(dependency);
    }
    if (out.size() > schemas::kDependencies) return TooManyToFollow();
  }
  return out;
}

Expect<std::vector<std::string>> ReadAllow(const std::string& value, const Source& source) {
  std::vector<std::string> names;
  if (value == "none") return names;
  for (std::string& name : SplitAt(value, ',')) {
    if (name.empty() || name == "@" || name.size() > schemas::kNameBytes) {
      return source.Place("--allow", value,
                          Usage("--allow '" + value + "': expected names by comma",
                                "as in --allow ana,@students,'account chem'"));
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

Diagnostic Source::Place(const std::string& option, const std::string& value,
                         Diagnostic wrong) const {
  for (const text::Word& word : words) {
    if (!word.text.ends_with(value)) continue;
    // "-t30" and "--site=lakes" end with the value.
    const size_t offset = word.text.size() - value.size();
    if (wrong.where && wrong.where->column > 0) {
      wrong.where->column += static_cast<uint32_t>(offset);
    }
    return text::PlacedIn(word, std::move(wrong));
  }
  if (wrong.where && wrong.where->source_line == value) {
    wrong.where->source_line = option + " " + value;
    wrong.where->column += static_cast<uint32_t>(option.size() + 1);
  }
  return wrong;
}

Expect<PartOptions> ReadPart(const Given& given, const Source& source) {
  PartOptions part;
  for (const std::string& value : given.All("-l")) {
    if (value.starts_with("place=")) {
      auto read = ReadPlace("-l", value.substr(6), source, part);
      if (!read.ok()) return read.failure();
      part = std::move(read.value());
    } else if (value.starts_with("walltime=")) {
      const auto span = ReadDuration("-l walltime", value.substr(9), source);
      if (!span.ok()) return span.failure();
      part.walltime = span.value();
    } else {
      auto read = ReadChunks(value, source, part);
      if (!read.ok()) return read.failure();
      part = std::move(read.value());
    }
  }
  if (given.Has("--place")) {
    auto read = ReadPlace("--place", given.Value("--place"), source, part);
    if (!read.ok()) return read.failure();
    part = std::move(read.value());
  }
  if (given.Has("--site")) {
    auto sites = ReadSites("--site", given.Value("--site"), source);
    if (!sites.ok()) return sites.failure();
    part.sites = std::move(sites.value());
  }
  auto set = ReadSet(given);
  if (!set.ok()) {
    const std::string option = given.Has("--group") ? "--group" : "--set";
    return source.Place(option, given.Value(option), set.diagnostic());
  }
  part.set = std::move(set.value());
  if (given.Has("--offset")) {
    const auto span = ReadDuration("--offset", given.Value("--offset"), source);
    if (!span.ok()) return span.failure();
    part.offset = span.value();
  }
  return part;
}

Expect<JobOptions> ReadJob(const Given& given, const Source& source, Instant now,
                           const text::Zone& zone, JobOptions job) {
  if (given.Has("-t")) {
    const auto span = ReadDuration("-t", given.Value("-t"), source);
    if (!span.ok()) return span.failure();
    if (span.value().seconds == 0) {
      return source.Place(
          "-t", given.Value("-t"),
          Usage("-t " + given.Value("-t") + ": nothing runs in no time", "as in -t 30m"));
    }
    auto duration = Once("-t", job.duration, span.value());
    if (!duration.ok()) return duration.failure();
    job.duration = duration.value();
  }
  const std::pair<const char*, std::optional<Instant> JobOptions::*> times[] = {
      {"--at", &JobOptions::at},
      {"--from", &JobOptions::from},
      {"--start-by", &JobOptions::start_by},
      {"--deadline", &JobOptions::deadline}};
  for (const auto& [option, member] : times) {
    if (!given.Has(option)) continue;
    const auto at = ReadWhen(option, given.Value(option), source, now, zone);
    if (!at.ok()) return at.failure();
    auto once = Once(option, job.*member, at.value());
    if (!once.ok()) return once.failure();
    job.*member = once.value();
  }
  const std::pair<const char*, std::optional<std::string> JobOptions::*> names[] = {
      {"-n", &JobOptions::name},
      {"--queue", &JobOptions::queue},
      {"-A", &JobOptions::account},
      {"--qos", &JobOptions::qos},
      {"--once", &JobOptions::once}};
  for (const auto& [option, member] : names) {
    if (!given.Has(option)) continue;
    const std::string& value = given.Value(option);
    const bool control = std::any_of(value.begin(), value.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    });
    if (value.empty() || value.size() > schemas::kNameBytes || control) {
      return source.Place(
          option, value,
          Usage(fmt::format("{}: expected 1 to {} printable bytes", option, schemas::kNameBytes),
                ""));
    }
    auto once = Once(option, job.*member, value);
    if (!once.ok()) return once.failure();
    job.*member = once.value();
  }
  if (given.Has("--recall")) {
    const std::string& value = given.Value("--recall");
    static const std::map<std::string, schemas::RecallWay> kWays = {
        {"requeue", schemas::RecallWay::kRequeue},
        {"checkpoint", schemas::RecallWay::kCheckpoint},
        {"suspend", schemas::RecallWay::kSuspend}};
    const auto way = kWays.find(value);
    if (way == kWays.end()) {
      return source.Place(
          "--recall", value,
          Usage("--recall " + value + ": a job is recalled by 'requeue', 'checkpoint' or 'suspend'",
                "--recall checkpoint if it saves its work on TERM and exits with 85; --recall "
                "suspend if it may stand still for a while"));
    }
    job.recall = way->second;
  }
  auto several = ReadSeveral(given, source, std::move(job));
  if (!several.ok()) return several;
  auto reserved = ReadReserved(given, source, now, zone, std::move(several.value()));
  if (!reserved.ok()) return reserved;
  job = std::move(reserved.value());
  if (given.Has("--not-site")) {
    auto sites = ReadSites("--not-site", given.Value("--not-site"), source);
    if (!sites.ok()) return sites.failure();
    for (std::string& site : sites.value()) {
      if (std::find(job.not_sites.begin(), job.not_sites.end(), site) == job.not_sites.end()) {
        job.not_sites.push_back(std::move(site));
      }
    }
  }
  job.apart = job.apart || given.Has("--apart");
  job.interactive = job.interactive || given.Has("--interactive");
  job.rerunnable = job.rerunnable || given.Has("--rerunnable");
  job.keep_going = job.keep_going || given.Has("--keep-going");
  job.firm = job.firm || given.Has("--firm");
  return job;
}

JobOptions Merged(const JobOptions& over, JobOptions under) {
  const auto take = [](const auto& from, auto& to) {
    if (from) to = from;
  };
  take(over.duration, under.duration);
  take(over.name, under.name);
  take(over.at, under.at);
  take(over.from, under.from);
  take(over.start_by, under.start_by);
  take(over.deadline, under.deadline);
  take(over.queue, under.queue);
  take(over.account, under.account);
  take(over.qos, under.qos);
  take(over.recall, under.recall);
  take(over.once, under.once);
  take(over.array, under.array);
  take(over.inside, under.inside);
  take(over.notice, under.notice);
  take(over.start_notice, under.start_notice);
  if (!over.slots.empty()) under.slots = over.slots;
  if (!over.after.empty()) under.after = over.after;
  if (!over.not_sites.empty()) under.not_sites = over.not_sites;
  under.apart = under.apart || over.apart;
  under.interactive = under.interactive || over.interactive;
  under.rerunnable = under.rerunnable || over.rerunnable;
  under.keep_going = under.keep_going || over.keep_going;
  under.firm = under.firm || over.firm;
  return under;
}

}  // namespace muster::cli
