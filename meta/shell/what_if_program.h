// Runs the program that answers what-ifs beside the meta: keeps the meta's records as they were,
// writes them down a piece a turn, starts the program, and takes its answer. No turn waits for it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/io/recording.h"
#include "base/io/store.h"
#include "base/time.h"
#include "meta/turn/events.h"
#include "schemas/turns.h"

namespace muster::meta {

struct WhatIfProgram {
  std::string folder;   // for its files, which only the owner may read
  std::string program;  // muster-sim
  BootSpan gives_up = Seconds(60);
  uint64_t memory_bytes = uint64_t{2} << 30;  // most address space
};

class WhatIfRun {
 public:
  WhatIfRun(WhatIfProgram program, io::Store& store);
  // Ends the program, if it runs.
  ~WhatIfRun();
  WhatIfRun(const WhatIfRun&) = delete;
  WhatIfRun& operator=(const WhatIfRun&) = delete;

  // What the core asks for in a turn.
  void Take(const WhatIfWork& work, const schemas::CoreOrigin& origin, Now now);
  // Goes on a little; an event when it is done or has failed.
  std::optional<WhatIfDone> GoOn(Now now);
  // By when GoOn is to be called again; none: there is nothing to do.
  std::optional<BootInstant> Next(BootInstant now) const;

 private:
  void Begin(uint64_t number, const schemas::CoreOrigin& origin, Now now);
  bool WritePage();
  void Write(const std::string& frame);
  void Start(Now now);
  std::optional<WhatIfDone> LookAtProgram(Now now);
  WhatIfDone Finish(std::optional<schemas::WhatIfView> view, std::string why);
  void Clear();
  std::string AnswerPath() const { return path_ + ".answer"; }
  std::string ErrorPath() const { return path_ + ".error"; }

  WhatIfProgram options_;
  io::Store& store_;
  std::optional<uint64_t> number_;
  std::string why_;  // it has failed already; not empty
  schemas::CoreOrigin origin_;
  std::unique_ptr<io::StoreView> rows_;  // of the meta, not written yet; none: all are
  std::optional<io::Recording> file_;
  std::string path_;
  std::optional<schemas::WhatIfOrder> order_;
  pid_t child_ = -1;
  BootInstant until_;
};

}  // namespace muster::meta
