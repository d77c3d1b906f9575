// Reads all frames, answers, and writes the answer in one piece.
#include "sim/whatif/command.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/io/recording.h"
#include "sim/whatif/answer.h"

namespace muster::sim {
namespace {

struct Asked {
  FederationSnapshot snapshot;
  std::optional<schemas::WhatIfOrder> order;
};

absl::Status TakeFrame(const std::string& frame, Asked& asked) {
  schemas::CanonicalReader reader(frame);
  schemas::FrameKind kind{};
  reader.Get(kind);
  if (kind == schemas::FrameKind::kBegan) return AddPage(frame, asked.snapshot.meta);
  if (kind == schemas::FrameKind::kSitePage) {
    schemas::WhatIfPage page;
    reader.Get(page);
    if (!reader.AtEnd()) return InvalidArgument("a page of a site is of another version of muster");
    return AddPage(page.frame, asked.snapshot.sites[page.site]);
  }
  if (kind != schemas::FrameKind::kWhatIfOrder) return InvalidArgument("this is no what-if");
  reader.Get(asked.order.emplace());
  return reader.AtEnd() ? absl::OkStatus()
                        : InvalidArgument("the order is of another version of muster");
}

absl::StatusOr<schemas::WhatIfView> Answered(const std::string& file) {
  MUSTER_ASSIGN_OR_RETURN(const io::RecordedFrames recorded, io::ReadRecording(file));
  Asked asked;
  for (const std::string& frame : recorded.frames) MUSTER_RETURN_IF_ERROR(TakeFrame(frame, asked));
  if (!asked.order) return InvalidArgument("nothing is asked");
  const auto begin = std::chrono::steady_clock::now();
  MUSTER_ASSIGN_OR_RETURN(schemas::WhatIfView view, AnswerWhatIf(*asked.order, asked.snapshot));
  view.took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return view;
}

}  // namespace

void AddWhatIf(CLI::App& app, WhatIfCommand& command) {
  command.app = app.add_subcommand("what-if", "what the meta starts to answer a what-if");
  command.app->add_option("file", command.file, "records and what is asked")->required();
  command.app->add_option("--out", command.out, "where the answer goes")->required();
  command.app->add_option("--parent", command.parent,
                          "ends with this process, its parent, as nobody waits for it then");
}

int RunWhatIf(const WhatIfCommand& command) {
  if (command.parent > 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != command.parent) return 2;
  }
  const absl::StatusOr<schemas::WhatIfView> view = Answered(command.file);
  if (!view.ok()) {
    std::fprintf(stderr, "%s\n", std::string(Text(view.status())).c_str());
    return 2;
  }
  // Whoever finds the file finds all of it.
  const std::string made = command.out + ".new";
  std::ofstream(made, std::ios::binary | std::ios::trunc)
      << schemas::FrameOf(schemas::FrameKind::kWhatIfAnswer, *view);
  std::error_code error;
  std::filesystem::rename(made, command.out, error);
  if (!error) return 0;
  std::fprintf(stderr, "cannot write %s: %s\n", command.out.c_str(), error.message().c_str());
  return 2;
}

}  // namespace muster::sim
