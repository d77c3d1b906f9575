// Parses the options of one part and of the whole job to values, and keeps their source, so that an
// error in a script points at its place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/text/calendar.h"
#include "base/text/words.h"
#include "base/time.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "schemas/request.h"

namespace muster::cli {

// The words that a group of options was read from; empty for the command line.
struct Source {
  std::vector<text::Word> words;
  // Sets the place of `wrong` to the word that ends with `value`; on the command line, shows
  // "OPTION VALUE" instead.
  Diagnostic Place(const std::string& option, const std::string& value, Diagnostic wrong) const;
};

// -l, --place, --site, --offset, --set, --group of one part. An absent value was not given.
struct PartOptions {
  std::optional<std::vector<schemas::Chunk>> chunks;
  ResourceSet jobwide;  // set only with chunks
  std::optional<schemas::Place> place;
  bool exclusive = false;
  std::optional<std::vector<std::string>> sites;  // empty: any site
  std::optional<Span> offset;
  std::optional<Span> walltime;    // PBS writes it as -l walltime=…
  std::optional<std::string> set;  // as ReadSet gives it
  bool any() const { return chunks || place || sites || offset || set; }
};

// All other options of a request.
struct JobOptions {
  std::optional<Span> duration;
  std::optional<std::string> name;
  std::vector<std::string> not_sites;
  bool apart = false;
  std::optional<Instant> at, from, start_by, deadline;
  std::optional<std::string> queue;
  std::optional<std::string> account;
  std::optional<std::string> qos;
  std::optional<schemas::RecallWay> recall;
  std::optional<std::string> once;
  std::optional<schemas::ArraySpec> array;
  std::vector<schemas::Dependency> after;
  bool interactive = false;
  bool rerunnable = false;
  bool keep_going = false;
  bool firm = false;
  std::optional<RequestId> inside;  // --in
  std::vector<Interval> slots;
  std::optional<schemas::Notice> notice;
  std::optional<Span> start_notice;
  std::optional<std::vector<std::string>> allow;  // for a reservation
  std::optional<Span> provisional;
  std::optional<schemas::Recurrence> every;
};

Expect<PartOptions> ReadPart(const Given& given, const Source& source);
// Adds the options of this group to `so_far`. Error: another group gave an option with a different
// value.
Expect<JobOptions> ReadJob(const Given& given, const Source& source, Instant now,
                           const text::Zone& zone, JobOptions so_far);
// Parse the values of --slot, --notice and --start-notice, also for `alter`.
Expect<std::vector<Interval>> ReadSlots(const std::vector<std::string>& values,
                                        const Source& source, Instant now, const text::Zone& zone);
Expect<schemas::Notice> ReadNotice(const std::string& value, const Source& source);
Expect<Span> ReadStartNotice(const std::string& value, const Source& source);
// Parses --after; each job occurs once.
Expect<std::vector<schemas::Dependency>> ReadAfter(const std::vector<std::string>& values,
                                                   const Source& source);
// Parses a comma-separated list of users and "@group"; "none" is the empty list.
Expect<std::vector<std::string>> ReadAllow(const std::string& value, const Source& source);
// Options of `over`, completed by those of `under`. Ignores --allow, --provisional and --every of
// `over`: only `reserve` has them, and it takes no script.
JobOptions Merged(const JobOptions& over, JobOptions under);

}  // namespace muster::cli
