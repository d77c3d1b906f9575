// The client's end of the protocol: sends numbered questions over the authenticated link, and
// explains why no answer arrives. protocol.md section 2b.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/io/transport.h"
#include "cli/context.h"
#include "cli/failure.h"
#include "cli/federation.h"
#include "schemas/client.h"

namespace muster::cli {

inline constexpr BootSpan kAnswerWait = Seconds(5);  // longest wait for an answer; then a time-out
// longest wait for a connection; then unreachable
inline constexpr BootSpan kConnectWait = Seconds(2);
// silence after which the spinner appears
inline constexpr BootSpan kStillMoves = Milliseconds(300);

using Question = std::variant<schemas::Submit, schemas::Ask, schemas::Cancel, schemas::Get,
                              schemas::Follow, schemas::Act>;

class MetaClient {
 public:
  // Starts to connect. Errors: a malformed address or key.
  static Expect<MetaClient> Open(Federation federation, const Context& context);

  // Sends a question under a new number, or resends it under the number `again`. The receiver drops
  // a question that arrives later than `wait`. Returns the number.
  MessageNumber Send(const Question& question, BootSpan wait = kAnswerWait,
                     MessageNumber again = {});
  // The next message, whatever it answers. None if no message arrives within `wait`, or on Ctrl-C.
  std::optional<schemas::ToClient> Receive(BootSpan wait);
  // Sends a question and waits for its answer. Errors: a refusal, no answer, Ctrl-C. Drops answers
  // to other numbers, except to the number given to Keep: those Receive returns later.
  Expect<schemas::ToClient> Call(const Question& question, BootSpan wait = kAnswerWait);
  // Call, for questions answered by rows or by an acceptance.
  Expect<schemas::Rows> Rows(const Question& question, BootSpan wait = kAnswerWait);
  Expect<schemas::Accepted> Accepted(const Question& question, BootSpan wait = kAnswerWait);

  // Call keeps answers to this number for Receive.
  void Keep(MessageNumber number) { kept_number_ = number; }

  // Why there is no answer, by the present state of the link.
  Failure Silence();
  bool Connected() { return link_->Link() == io::LinkState::kConnected; }
  const Federation& federation() const { return federation_; }
  // the site given by --via; else empty
  const std::string& site() const { return federation_.site; }

 private:
  MetaClient(Federation federation, std::unique_ptr<io::Client> link, bool moves)
      : federation_(std::move(federation)), link_(std::move(link)), moves_(moves) {}
  std::optional<schemas::ToClient> FromLink(BootSpan wait);
  Federation federation_;
  std::unique_ptr<io::Client> link_;
  uint64_t last_number_ = 0;
  MessageNumber kept_number_;
  std::deque<schemas::ToClient> kept_;
  bool moves_ = false;  // stderr is a terminal: shows the spinner
  bool was_connected_ = false;
};

// Reports on stderr when the link is lost and when it is back, once each, with a hint how to find
// the jobs meanwhile.
class LinkTeller {
 public:
  // Call regularly. Returns true when the link is back: then questions must be sent again.
  bool Look(MetaClient& client);

 private:
  bool connected_ = false;
  bool lost_ = false;
};
// Hint for users whose link is lost.
inline constexpr char kFindAgain[] =
    "'muster queue' shows your jobs, 'muster wait last' waits for the newest";

// A refusal as a failure, in the anatomy of errors (cli.md section 1.10).
Failure FailureOf(const schemas::Refused& refused);

// The id of a shown job: "43", "43[7]", "lakes/17". A whole array, "43[1-100]", has the id of its
// job. Zero if the text is no id.
RequestId IdOf(const schemas::JobView& job);
// All jobs of a listing, fetched page by page. REQUIRES: `get` asks for jobs.
Expect<schemas::Rows> AllJobs(MetaClient& client, schemas::Get get);

}  // namespace muster::cli
