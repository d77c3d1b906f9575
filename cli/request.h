// From the words of `submit` and `ask` to a request: parts split by ':', a script with its #MUSTER
// lines, or a command after '--'. cli.md section 2. Pure: files, clock and zone come with the
// surroundings.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/text/calendar.h"
#include "base/time.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "schemas/request.h"

namespace muster::cli {

// Where the words are read.
struct Surroundings {
  Instant now;
  text::Zone zone;
  std::string directory;  // absolute; where the command was called
  // The text of a file, or why there is none.
  std::function<Expect<std::string>(const std::string& path)> read_file;
};

// What was asked for.
struct Submission {
  schemas::RequestSpec request;
  std::optional<std::string> once;
  Given command_line;  // of the first group of options: --json and the like
};

enum class Asked { kSubmit, kAsk, kSlots, kReserve };

// The options of these verbs, for their help and for parsing each part's words.
Options RequestOptions(Asked asked);

// The words after the verb. Errors point into the script where they come from there; nothing was
// submitted.
Expect<Submission> ReadSubmission(Asked asked, const std::vector<std::string>& words,
                                  const Surroundings& around);

// "2:ncpus=4+1:ngpus=1": a part's chunks as -l takes them.
std::string ChunksOption(const std::vector<schemas::Chunk>& chunks);

}  // namespace muster::cli
