// Parses in one pass over the lines. A field missing in a short line counts as unknown (-1).
#include "sim/replay/swf.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace muster::sim {
namespace {

// Positions of fields in a line, from 0.
enum Field : size_t {
  kNumber = 0,
  kSubmitted = 1,
  kWaitTime = 2,
  kRan = 3,
  kAllocated = 4,
  kRequested = 7,
  kAsked = 8,
  kMemory = 9,
  kUser = 11,
  kGroup = 12,
  kExecutable = 13,
  kQueue = 14,
  kPartition = 15,
  kFields = 18
};
constexpr double kLargest = 1e15;  // larger than any field of a real trace
constexpr std::string_view kBlank = " \t\r";

using Fields = std::array<int64_t, kFields>;

std::string_view Word(std::string_view& rest) {
  const size_t begin = rest.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return rest = {};
  rest.remove_prefix(begin);
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
  rest.remove_prefix(word.size());
  return word;
}

absl::StatusOr<Fields> ParseLine(const std::string& where, std::string_view line) {
  Fields out;
  out.fill(-1);
  size_t at = 0;
  for (std::string_view word = Word(line); !word.empty(); word = Word(line), ++at) {
    if (at == kFields) break;  // some archives add their own fields
    double value = 0;          // some fields have fractions
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(std::abs(value) < kLargest)) {
      return InvalidArgument(where + "field " + std::to_string(at + 1) + " is '" +
                             std::string(word) + "', not a number");
    }
    out[at] = static_cast<int64_t>(std::floor(value));
  }
  if (at <= kAllocated) {
    return InvalidArgument(where + std::to_string(at) + " fields; a job has 18");
  }
  return out;
}

class Reader {
 public:
  Reader(const std::string& name, SwfRules rules) : name_(name), rules_(rules) {}

  absl::Status Line(std::string_view line) {
    ++line_;
    const size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return absl::OkStatus();
    if (line[begin] == ';') return Header(line.substr(begin + 1));
    MUSTER_ASSIGN_OR_RETURN(const Fields fields, ParseLine(Where(), line));
    return Job(fields);
  }

  SwfTrace Take() {
    std::stable_sort(trace_.jobs.begin(), trace_.jobs.end(),
                     [](const SwfJob& a, const SwfJob& b) { return a.submitted < b.submitted; });
    return std::move(trace_);
  }

 private:
  std::string Where() const { return name_ + ":" + std::to_string(line_) + ": "; }

  absl::Status Header(std::string_view rest) {
    const size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return absl::OkStatus();
    std::string_view before = rest.substr(0, colon);
    std::string_view after = rest.substr(colon + 1);
    const std::string_view label = Word(before);
    const std::string_view word = Word(after);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return absl::OkStatus();
    if (label == "UnixStartTime") trace_.began = number;
    if (label == "Queue") trace_.queues[number] = std::string(Word(after));
    return absl::OkStatus();
  }

  absl::Status Job(const Fields& f) {
    SwfCounts& counts = trace_.counts;
    ++counts.lines;
    if (f[kSubmitted] < latest_) {
      ++counts.unsorted;
      if (rules_.strict) {
        return InvalidArgument(Where() + "job " + std::to_string(f[kNumber]) +
                               " was submitted before the one above it");
      }
    }
    latest_ = std::max(latest_, f[kSubmitted]);
    const bool no_processors = f[kRequested] <= 0 && f[kAllocated] <= 0;
    const bool known = f[kWaitTime] >= 0 && f[kAsked] > 0 && !no_processors;
    const bool never_ran = f[kRan] < 0;
    if (no_processors || (never_ran && !(rules_.keep_cancelled && known))) {
      ++counts.cancelled;
      return absl::OkStatus();
    }
    SwfJob job{.number = f[kNumber],
               .submitted = f[kSubmitted],
               .cancelled = never_ran,
               .ran = never_ran ? f[kAsked] : f[kRan],
               .processors = f[kRequested],
               .asked = f[kAsked],
               .user = f[kUser],
               .group = f[kGroup],
               .executable = f[kExecutable],
               .queue = f[kQueue],
               .partition = f[kPartition]};
    if (never_ran) ++counts.entered;
    if (f[kWaitTime] >= 0) job.waited = f[kWaitTime];
    if (f[kMemory] > 0) job.memory_kb = f[kMemory];
    if (job.processors <= 0) {
      job.processors = f[kAllocated];
      ++counts.no_processors;
    }
    if (job.ran == 0) {
      job.ran = 1;
      ++counts.instant;
    }
    if (job.asked <= 0) {
      job.asked = job.ran;
      ++counts.no_request;
    }
    if (job.ran > job.asked) {
      job.ran = job.asked;
      ++counts.overran;
    }
    trace_.jobs.push_back(job);
    return absl::OkStatus();
  }

  const std::string name_;
  const SwfRules rules_;
  size_t line_ = 0;
  int64_t latest_ = INT64_MIN;
  SwfTrace trace_;
};

}  // namespace

std::string FindTrace(const std::string& name, const std::string& scenario) {
  if (name.empty()) return "";
  namespace fs = std::filesystem;
  std::vector<fs::path> places = {fs::path(scenario).parent_path() / name, name};
  if (const char* folder = std::getenv("MUSTER_TRACES")) places.push_back(fs::path(folder) / name);
  for (const fs::path& place : places) {
    if (fs::exists(place)) return place.string();
  }
  return name;
}

absl::StatusOr<std::string> ReadPacked(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), &gzclose);
  if (!file) return NotFound(path + " cannot be read");
  std::string out;
  std::array<char, size_t{1} << 16> piece;
  for (;;) {
    const int got = gzread(file.get(), piece.data(), piece.size());
    if (got < 0) return InvalidArgument(path + " is damaged");
    if (got == 0) break;
    out.append(piece.data(), static_cast<size_t>(got));
    if (out.size() > kTraceBytes) return InvalidArgument(path + " is larger than a trace may be");
  }
  // zlib reads a truncated file like a short one, so the error is checked here.
  int error = Z_OK;
  gzerror(file.get(), &error);
  if (error != Z_OK) return InvalidArgument(path + " is damaged: it ends too early");
  return out;
}

absl::StatusOr<SwfTrace> ParseSwf(const std::string& name, std::string_view text, SwfRules rules) {
  Reader reader(name, rules);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    MUSTER_RETURN_IF_ERROR(reader.Line(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.Take();
}

}  // namespace muster::sim
