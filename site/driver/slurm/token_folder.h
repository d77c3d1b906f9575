// A token's folder below the shared folder, which the daemon and all nodes see. It proves what has
// become of a token, whoever is gone: protocol.md section 3.3.
//
//   parts/TOKEN/   made as the mapped account, mode 0700
//     spec         for the wrapper: times in milliseconds, one NAME=VALUE a line. Later lines ASK=N
//                  ask a wrapper whose job Slurm does not know; run/here: the last that it
//                  answered. Written in place, as NFS shows that at once.
//     name         the part's name, for a driver that finds the folder
//     command      what runs: a sh script that becomes the command; script: of the payload
//     notice       the same for the notice's command, if there is one
//     nodefile, secret
//     out, err     output; kept when the rest is deleted
//     walltime     of an extended part, in milliseconds from its start; stop: the grace of a stop
//     run/owner    made by the one job that waits with the token, so that a second one ends at once
//     run/.go.*    the FIFO at which the command waits for its second
//     run/started  made by that job before anything runs ("at=MS job=ID"), or by a driver, which
//                  gives the token up with it ("never", "lost"): whose it is decides; a wrapper
//                  that comes too late gives it up itself ("never late")
//     run/ending   TERM was sent at the walltime; run/exit: the record of the end
//
// `owner` and `started` are made by link(2), which makes a file with its content or not at all. So
// nobody finds one without knowing whose it is, also after a crash, and also where NFS repeats a
// call whose answer was lost. (mkdir has neither property.) A folder is filled before its name is
// TOKEN; so one that is there is complete.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "site/driver/driver.h"
#include "site/driver/slurm/acting.h"
#include "site/driver/slurm/marks.h"

namespace muster::driver::slurm {

class TokenFolders {
 public:
  // Makes `parts` where it is missing, and proves that it can be written and has hard links.
  static absl::StatusOr<TokenFolders> Open(const std::string& shared_folder);

  // Whether it was there before Open: if not, a missing folder proves nothing.
  bool fresh() const { return fresh_; }
  // From now on a missing folder proves that its token never began.
  absl::Status RememberUse();

  std::string FolderOf(const std::string& token) const { return parts_ + "/" + token; }

  // Makes and fills the folder. kAlreadyExists: the token was used before.
  absl::Status Make(const StartPart& part, const std::optional<Account>& account,
                    const Graces& graces) const;

  // kUnavailable: the shared folder cannot be reached, and nothing is known.
  absl::StatusOr<Marks> Read(const std::string& token) const;

  // Gives the token up for good, unless its wrapper has begun; answers what holds from now on. A
  // token without a folder gets one. REQUIRES: `verdict` is kNever or kLost. kUnavailable: nothing
  // is known.
  absl::StatusOr<Begun> GiveUp(const std::string& token, Begun verdict) const;

  // Lets another job go on with a token whose owner is gone. Should it still live, `started`
  // decides.
  void Release(const std::string& token) const;

  // Each replaces its file as a whole.
  absl::Status WriteWalltime(const std::string& token, Span walltime) const;
  absl::Status WriteStop(const std::string& token, BootSpan grace) const;
  // Asks the wrapper of a running part whether it lives: Marks::answered becomes `question`.
  absl::Status Ask(const std::string& token, int64_t question) const;

  // Makes a client of NFS look at the folder itself, not at what it remembers.
  void Refresh(const std::string& token) const;

  // Removes all but the output and the marks; then the whole folder once `keep` has passed.
  void Empty(const std::string& token) const;
  void Sweep(Instant now, Span keep) const;

  // What fits into `limit`. None: there is no such file.
  std::optional<OutputPiece> Output(const std::string& token, bool error_stream, uint64_t offset,
                                    size_t limit) const;
  // The newest token of the part with this name, by the folders' times; "": none.
  std::string NewestOf(const std::string& part_name) const;

 private:
  TokenFolders(std::string parts, bool fresh) : parts_(std::move(parts)), fresh_(fresh) {}
  absl::StatusOr<std::optional<Account>> OwnerOf(const std::string& token) const;

  std::string parts_;
  bool fresh_ = false;
  bool remembered_ = false;
};

}  // namespace muster::driver::slurm
