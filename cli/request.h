// Parses the words of `submit`, `reserve`, `ask` and `slots` to a request: parts separated by ':',
// a script with its #MUSTER lines, or a command after '--'. cli.md section 2. Has no side effects:
// files, clock and zone come from Surroundings.
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

// The environment in which the words are read.
struct Surroundings {
  Instant now;
  text::Zone zone;
  std::string directory;  // absolute path of the current folder
  // Reads a file. Error: why it cannot be read.
  std::function<Expect<std::string>(const std::string& path)> read_file;
};

// A parsed submission.
struct Submission {
  schemas::RequestSpec request;
  std::optional<std::string> once;
  Given command_line;  // the first group of options, with --json and the like
};

enum class Asked { kSubmit, kAsk, kSlots, kReserve };

// The options of a verb, for its help and for parsing each part.
Options RequestOptions(Asked asked);

// Parses the words after the verb. Errors in a script point into it. Nothing is submitted.
Expect<Submission> ReadSubmission(Asked asked, const std::vector<std::string>& words,
                                  const Surroundings& around);

// A part's chunks as -l takes them: "2:ncpus=4+1:ngpus=1".
std::string ChunksOption(const std::vector<schemas::Chunk>& chunks);

}  // namespace muster::cli
