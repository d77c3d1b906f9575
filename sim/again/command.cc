// Prints one line per file and, for a file that differs, both sides of its first difference.
#include "sim/again/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/io/recording.h"
#include "sim/again/again.h"

namespace muster::sim {
namespace {

constexpr int kExitDifferent = 1;
constexpr int kExitUsage = 2;

int Fail(const std::string& file, const absl::Status& status) {
  fmt::print(stderr, "muster: error[usage]: {}: {}\n", file, std::string(Text(status)));
  return kExitUsage;
}

int TakeFile(const std::string& file, const OptionsAgain& options) {
  const absl::StatusOr<io::RecordedFrames> recorded = io::ReadRecording(file);
  if (!recorded.ok()) return Fail(file, recorded.status());
  const absl::StatusOr<AgainResult> result = TakeAgain(recorded->frames, options);
  if (!result.ok()) return Fail(file, result.status());
  fmt::print("{}: {}, {} cores, {} turns, {} events, {} bytes of batches: {}\n", file,
             result->daemon, result->cores, result->turns, result->events, result->batch_bytes,
             result->difference.empty() ? "equal" : "different");
  if (recorded->torn > 0) {
    fmt::print("  torn: its last {} bytes are no whole frame, and were left out\n", recorded->torn);
  }
  if (result->unfinished) fmt::print("  the daemon ended within its last turn\n");
  fmt::print("{}", result->difference);
  return result->difference.empty() ? 0 : kExitDifferent;
}

}  // namespace

void AddAgain(CLI::App& app, AgainCommand& command) {
  command.app = app.add_subcommand(
      "again", "recorded turns of daemons, taken again: they must want the same, byte for byte");
  command.app->add_option("files", command.files, "as in STATE/turns/000001.turns")->required();
}

int RunAgain(const AgainCommand& command) {
  const OptionsAgain options = OptionsOfDaemons();
  int worst = 0;
  for (const std::string& file : command.files) worst = std::max(worst, TakeFile(file, options));
  return worst;
}

}  // namespace muster::sim
