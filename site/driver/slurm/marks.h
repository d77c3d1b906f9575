// What a token's folder says of it, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "site/driver/driver.h"

namespace muster::driver::slurm {

// Times that a part's wrapper keeps.
struct Graces {
  BootSpan walltime = Milliseconds(700);   // from TERM at the end of the walltime to KILL
  BootSpan stop = Milliseconds(700);       // from TERM by anybody else to KILL
  BootSpan straggler = Milliseconds(700);  // for what a command leaves behind
  BootSpan beat = Milliseconds(15'000);    // between looks whether a file asks, or tells to end
};

enum class Begun : uint8_t {
  kNo,     // nothing has run
  kYes,    // its wrapper has begun
  kNever,  // a driver, or a wrapper that came too late, gave the token up before anything ran
  kLost    // a driver gave it up without knowing what became of it
};

struct Marks {
  bool exists = false;  // the folder is there
  std::string part_name;
  Instant not_before;
  uint32_t owner = 0;  // the job that goes on with the token; 0: none yet
  Begun begun = Begun::kNo;
  std::optional<Moment> started_at;
  std::optional<int64_t> answered;  // the last question that its wrapper has answered
  bool ending = false;
  bool late = false;               // if kNever: its wrapper came after its last start
  std::optional<PartEnded> ended;  // from a complete record
  // It ended by a TERM of nobody whom this driver knows: Slurm's own limit, or somebody's scancel.
  bool by_term = false;
};

// A piece of a part's output.
struct OutputPiece {
  std::string data;
  bool to_the_end = false;
};

}  // namespace muster::driver::slurm
