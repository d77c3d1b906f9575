// The interface to what really runs parts. A core issues commands after its batch is durable; a
// driver answers with events, by the table at the end of this file. protocol.md section 3.3.
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
#include "site/driver/facts.h"
#include "site/driver/outside.h"
#include "site/driver/walls.h"

namespace muster::driver {

// Starts one part. The token is new for every try; after a restart the part is found by it.
struct StartPart {
  std::string token;
  std::string part_name;  // "42.1": names its folder and output
  std::string user;       // requester; the driver maps it to an account
  schemas::Payload payload;
  std::map<std::string, std::string>
      environment;  // MUSTER_* of cli.md section 6, except those that only the driver
                    // knows (node file, secret file, CUDA_VISIBLE_DEVICES)
  schemas::PartPlace place;
  ResourceSet jobwide;
  Secret secret;
  Instant not_before;  // its start; it may be handed over Facts::start_ahead before
  Instant not_after;   // checked again at the spawn: never start later
  std::string wall;    // that its nodes outside of the commons stand behind; "": none
  Span walltime;
  std::optional<schemas::Notice> notice;  // given before the walltime's end, even without a daemon
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("token", &StartPart::token),
        schemas::Field("part_name", &StartPart::part_name),
        schemas::Field("user", &StartPart::user), schemas::Field("payload", &StartPart::payload),
        schemas::Field("environment", &StartPart::environment),
        schemas::Field("place", &StartPart::place), schemas::Field("jobwide", &StartPart::jobwide),
        schemas::Field("secret", &StartPart::secret),
        schemas::Field("not_before", &StartPart::not_before),
        schemas::Field("not_after", &StartPart::not_after),
        schemas::Field("wall", &StartPart::wall), schemas::Field("walltime", &StartPart::walltime),
        schemas::Field("notice", &StartPart::notice));
  }
  bool operator==(const StartPart&) const = default;
};
// Sets a new walltime of a running part, counted from its start: never less than the one before.
// Its notice is due again, before the new end. No effect on a part that is ending.
struct LimitPart {
  std::string token;
  Span walltime;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &LimitPart::token),
                              schemas::Field("walltime", &LimitPart::walltime));
  }
  bool operator==(const LimitPart&) const = default;
};
// Gives a running part other chunk sets: the driver rewrites its node file, and its processes get
// SIGWINCH if the file changed. The first set stays the first.
struct ResizePart {
  std::string token;
  schemas::PartPlace place;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &ResizePart::token),
                              schemas::Field("place", &ResizePart::place));
  }
  bool operator==(const ResizePart&) const = default;
};
// Takes all processes of a running part off their cores; they keep all else. While it is paused it
// makes no progress, is given no notice and is not ended at its walltime, whether a daemon runs or
// not. No effect on a part that is paused, ending or over. Nobody confirms it.
struct PausePart {
  std::string token;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &PausePart::token));
  }
  bool operator==(const PausePart&) const = default;
};
// Lets a paused part go on. Its walltime still counts from its start, so a LimitPart that adds the
// pause comes before this. No effect on a part that is not paused.
struct ResumePart {
  std::string token;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &ResumePart::token));
  }
  bool operator==(const ResumePart&) const = default;
};
// Ends a part: TERM, after `grace` KILL. A paused part goes on first, so that it hears TERM. No
// effect on a part that has ended.
struct StopPart {
  std::string token;
  BootSpan grace = Seconds(5);
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &StopPart::token),
                              schemas::Field("grace", &StopPart::grace));
  }
  bool operator==(const StopPart&) const = default;
};
// Asks which of these tokens run. Sent by every core, after a start of the daemon or a reload, even
// without tokens; answered by a PartFound for each (table below).
struct FindParts {
  std::vector<std::string> tokens;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("tokens", &FindParts::tokens));
  }
  bool operator==(const FindParts&) const = default;
};
// Deletes the part's bookkeeping, which the ledger no longer needs; its output stays for
// output_keep.
struct ForgetPart {
  std::string token;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &ForgetPart::token));
  }
  bool operator==(const ForgetPart&) const = default;
};
// Reads a part's output from `offset`, at most `limit` bytes; answered by OutputRead.
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
using Command = std::variant<StartPart, StopPart, LimitPart, ResizePart, PausePart, ResumePart,
                             FindParts, ForgetPart, ReadOutput, PutWall, DropWall, Reconcile>;

struct PartStarted {
  std::string token;
  Moment at;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &PartStarted::token),
                              schemas::Field("at", &PartStarted::at));
  }
  bool operator==(const PartStarted&) const = default;
};
// The token will never start. Nothing of it ran either, except that an answer to a repeated
// StartPart (table below) may come although that is unknown.
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
// The part is about to end (TERM was sent at its walltime); processes may still be there.
struct PartEnding {
  std::string token;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("token", &PartEnding::token));
  }
  bool operator==(const PartEnding&) const = default;
};
// All processes of the part are gone. The time that it was paused is no part of `usage.elapsed`.
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
// Answer to FindParts for one token. A running part goes on and ends with PartEnded.
enum class Finding : uint8_t { kRunning, kEnded, kNeverRan, kCannotTell };
struct PartFound {
  std::string token;
  Finding finding = Finding::kCannotTell;
  std::optional<Moment> started_at;
  std::optional<PartEnded> ended;  // set if kEnded
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
using Event = std::variant<PartStarted, PartNotStarted, PartEnding, PartEnded, PartFound,
                           OutputRead, WallStands, WallRefused, WallLost, Outside, Sight>;

// A driver. Used by one thread; no call blocks for longer than a spawn.
class Driver {
 public:
  virtual ~Driver() = default;
  // What its machine is like: as of its opening, and then of the last TakeFacts.
  virtual const Facts& facts() const = 0;
  // True if the machine is another by now, of which facts() tells from this call on. Whoever plans
  // by them begins anew.
  virtual bool TakeFacts() { return false; }
  virtual void Do(const Command& command) = 0;
  // Events since the last call.
  virtual std::vector<Event> Take() = 0;
  // A file descriptor that is readable when Take has events, to poll together with the transport;
  // -1: the driver has none.
  virtual int EventFd() const { return -1; }
};

}  // namespace muster::driver

// What a driver answers, so that nothing runs twice whatever commands it gets. A core starts each
// token at most once, asks for it at most once, and never starts a token that it asked for. It
// sends FindParts before any StartPart: from then on a token without a trace provably never ran.
//
//   command      token                   the driver's answer
//   StartPart    never seen before       PartStarted and later PartEnded; or PartNotStarted
//                running here            none; the events of its first start come
//                over, or of an earlier  PartStarted and PartEnded (again), as far as they
//                driver                  happened; PartNotStarted if it was refused, never ran,
//                                        or its end is unknown
//   FindParts    started by this driver  running, ended, or never ran after a PartNotStarted;
//                                        none if an answer is already under way, nor of one that
//                                        was handed over and waits for its second: PartStarted or
//                                        PartNotStarted says what becomes of it
//                of an earlier driver    what its traces prove. The answer is final: after "never
//                                        ran" or "cannot tell" no driver ever starts the token
//   PausePart,   running here            none; twice is as once, and the last one holds. A part
//   that ResumePart                           ends first, or in that moment, ends as it would have
//                not here, or over       none, and no effect
//
// REQUIRES: no command names a token after ForgetPart for it.
