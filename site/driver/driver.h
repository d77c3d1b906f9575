// What really runs a part. A core hands out commands after its batch is durable; a driver answers
// with events, as the table at the end of this file says. protocol.md section 3.3.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/hold.h"
#include "schemas/site_link.h"

namespace muster::driver {

// Start one part. The token is new for every try, and by it the part is found after a restart.
struct StartPart {
  std::string token;
  std::string part_name;  // "42.1": names its folder and output
  std::string user;       // requester; the shell maps it to an account
  schemas::Payload payload;
  std::map<std::string, std::string>
      environment;  // MUSTER_* of cli.md section 6, complete but for what only the
                    // driver knows (node file, secret file, CUDA_VISIBLE_DEVICES)
  schemas::PartPlace place;
  Secret secret;
  Instant not_after;  // checked again at the spawn: never start later
  Span walltime;
  std::optional<schemas::Notice> notice;  // before the walltime's end, without the daemon's help
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("token", &StartPart::token),
        schemas::Field("part_name", &StartPart::part_name),
        schemas::Field("user", &StartPart::user), schemas::Field("payload", &StartPart::payload),
        schemas::Field("environment", &StartPart::environment),
        schemas::Field("place", &StartPart::place), schemas::Field("secret", &StartPart::secret),
        schemas::Field("not_after", &StartPart::not_after),
        schemas::Field("walltime", &StartPart::walltime),
        schemas::Field("notice", &StartPart::notice));
  }
  bool operator==(const StartPart&) const = default;
};
// A running part may go on for so long from its start: never less than it was told before. Its
// notice is due again, before the new end. No effect on a part that is ending.
struct LimitPart {
  std::string token;
  Span walltime;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &LimitPart::token),
                              schemas::Field("walltime", &LimitPart::walltime));
  }
  bool operator==(const LimitPart&) const = default;
};
// A running part has these chunk sets now: its node file says so, and its processes get SIGWINCH if
// that is news. The first set stays the first.
struct ResizePart {
  std::string token;
  schemas::PartPlace place;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &ResizePart::token),
                              schemas::Field("place", &ResizePart::place));
  }
  bool operator==(const ResizePart&) const = default;
};
// End it: TERM, after `grace` KILL. Also for a part that already ended (no effect).
struct StopPart {
  std::string token;
  BootSpan grace = Seconds(5);
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &StopPart::token),
                              schemas::Field("grace", &StopPart::grace));
  }
  bool operator==(const StopPart&) const = default;
};
// Which of these tokens run? Asked at every start of a daemon, also for none; a Found for each.
struct FindParts {
  std::vector<std::string> tokens;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("tokens", &FindParts::tokens));
  }
  bool operator==(const FindParts&) const = default;
};
// The ledger no longer needs this part's bookkeeping; its output stays for output_keep.
struct ForgetPart {
  std::string token;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &ForgetPart::token));
  }
  bool operator==(const ForgetPart&) const = default;
};
// Read a piece of a part's output from `offset`, at most `limit` bytes; answered by OutputRead.
struct ReadOutput {
  uint64_t inspection = 0;
  std::string part_name;
  bool error_stream = false;
  uint64_t offset = 0;
  size_t limit = 0;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("inspection", &ReadOutput::inspection),
                              schemas::Field("part_name", &ReadOutput::part_name),
                              schemas::Field("error_stream", &ReadOutput::error_stream),
                              schemas::Field("offset", &ReadOutput::offset),
                              schemas::Field("limit", &ReadOutput::limit));
  }
  bool operator==(const ReadOutput&) const = default;
};
using Command =
    std::variant<StartPart, StopPart, LimitPart, ResizePart, FindParts, ForgetPart, ReadOutput>;

struct PartStarted {
  std::string token;
  Moment at;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &PartStarted::token),
                              schemas::Field("at", &PartStarted::at));
  }
  bool operator==(const PartStarted&) const = default;
};
// Nothing ran and nothing of this token ever will.
struct PartNotStarted {
  std::string token;
  std::string why;
  bool late = false;  // refused because of not_after
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &PartNotStarted::token),
                              schemas::Field("why", &PartNotStarted::why),
                              schemas::Field("late", &PartNotStarted::late));
  }
  bool operator==(const PartNotStarted&) const = default;
};
// The end came in sight (walltime TERM was sent) but processes may still be there.
struct PartEnding {
  std::string token;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &PartEnding::token));
  }
  bool operator==(const PartEnding&) const = default;
};
// Processes are gone.
struct PartEnded {
  std::string token;
  Moment at;
  schemas::PartEnd end;
  schemas::Usage usage;
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("token", &PartEnded::token), schemas::Field("at", &PartEnded::at),
        schemas::Field("end", &PartEnded::end), schemas::Field("usage", &PartEnded::usage));
  }
  bool operator==(const PartEnded&) const = default;
};
// Answer to FindParts for one token; running ones go on and end with PartEnded.
enum class Finding : uint8_t { kRunning, kEnded, kNeverRan, kCannotTell };
struct PartFound {
  std::string token;
  Finding finding = Finding::kCannotTell;
  std::optional<Moment> started_at;
  std::optional<PartEnded> ended;  // kEnded
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &PartFound::token),
                              schemas::Field("finding", &PartFound::finding),
                              schemas::Field("started_at", &PartFound::started_at),
                              schemas::Field("ended", &PartFound::ended));
  }
  bool operator==(const PartFound&) const = default;
};
struct OutputRead {
  uint64_t inspection = 0;
  schemas::OutputView view;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("inspection", &OutputRead::inspection),
                              schemas::Field("view", &OutputRead::view));
  }
  bool operator==(const OutputRead&) const = default;
};
using Event =
    std::variant<PartStarted, PartNotStarted, PartEnding, PartEnded, PartFound, OutputRead>;

// A driver. One thread; nothing blocks for longer than a spawn.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual void Do(const Command& command) = 0;
  // What happened since the last call.
  virtual std::vector<Event> Take() = 0;
  // A file descriptor that is readable when Take has something, to poll together with the
  // transport; -1 if none.
  virtual int EventFd() const { return -1; }
};

}  // namespace muster::driver

// What a driver answers, so that nothing runs twice whatever it is told. A core starts a token once
// and asks for it once, and starts none that it asked for; it asks before it starts anything: from
// the first question on, a token that left no trace has proved something.
//
//   told         of a token              the driver answers
//   StartPart    that never was here     PartStarted and in the end PartEnded; or PartNotStarted
//                that it runs            nothing new: its end comes
//                that is over, or of an  as far as they happened, those two (again). PartNotStarted
//                earlier driver          if it was refused, never ran, or nobody can tell
//   FindParts    that it started         running, ended, or never ran if it said PartNotStarted;
//                                        nothing new if an answer is due
//                of an earlier driver    what the traces prove, for ever: after never ran or cannot
//                                        tell nothing of it begins, also under a later driver
//
// REQUIRES: a token that was forgotten is not named again.
