// The options of one part, and those of the whole job, as values. Where each came from stays known,
// so that an error in a script points into it.
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

// The words a group of options was read from; of the command line, words without a file.
struct Source {
  std::vector<text::Word> words;
  // `wrong` placed at the word whose text is `value`; on the command line, as it is shown there.
  Diagnostic Place(const std::string& option, const std::string& value, Diagnostic wrong) const;
};

// -l, --place, --site, --offset of one part. Absent: not given.
struct PartOptions {
  std::optional<std::vector<schemas::Chunk>> chunks;
  ResourceSet jobwide;  // only with chunks
  std::optional<schemas::Place> place;
  bool exclusive = false;
  std::optional<std::vector<std::string>> sites;  // empty: any
  std::optional<Span> offset;
  std::optional<Span> walltime;  // PBS writes it as -l walltime=…
  std::optional<std::string> group;
  bool any() const { return chunks || place || sites || offset || group; }
};

// All other options that make the request.
struct JobOptions {
  std::optional<Span> duration;
  std::optional<std::string> name;
  std::vector<std::string> not_sites;
  bool apart = false;
  std::optional<Instant> at, from, start_by, deadline;
  std::optional<std::string> queue;
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
  std::optional<std::vector<std::string>> allow;  // of a reservation
  std::optional<Span> provisional;
  std::optional<schemas::Recurrence> every;
};

Expect<PartOptions> ReadPart(const Given& given, const Source& source);
// Adds what this group gives; an option already given in another group is an error.
Expect<JobOptions> ReadJob(const Given& given, const Source& source, Instant now,
                           const text::Zone& zone, JobOptions so_far);
// What --slot, --notice and --start-notice say, there or in `alter`.
Expect<std::vector<Interval>> ReadSlots(const std::vector<std::string>& values,
                                        const Source& source, Instant now, const text::Zone& zone);
Expect<schemas::Notice> ReadNotice(const std::string& value, const Source& source);
Expect<Span> ReadStartNotice(const std::string& value, const Source& source);
// What --after says, each job once.
Expect<std::vector<schemas::Dependency>> ReadAfter(const std::vector<std::string>& values,
                                                   const Source& source);
// Names of users and "@group" by comma; "none" is nobody.
Expect<std::vector<std::string>> ReadAllow(const std::string& value, const Source& source);
// What `over` gives stands, the rest is from `under`.
JobOptions Merged(const JobOptions& over, JobOptions under);

}  // namespace muster::cli
