// The client's end of the protocol: questions by number over the authenticated link, and what to
// say when nobody answers. protocol.md section 2b.
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

inline constexpr BootSpan kAnswerWait = Seconds(5);   // for an answer, then it is a time-out
inline constexpr BootSpan kConnectWait = Seconds(2);  // for a connection, then nobody is there
inline constexpr BootSpan kStillMoves = Milliseconds(300);  // of silence, then something moves

using Question = std::variant<schemas::Submit, schemas::Ask, schemas::Cancel, schemas::Get,
                              schemas::Follow, schemas::Act>;

class MetaClient {
 public:
  // Starts to dial. Errors: a malformed address or key.
  static Expect<MetaClient> Open(Federation federation, const Context& context);

  // Sends under a new number, or again under `again`; the receiver drops it after `wait`.
  MessageNumber Send(const Question& question, BootSpan wait = kAnswerWait,
                     MessageNumber again = {});
  // The next message of any number; none within `wait`, or on Ctrl-C.
  std::optional<schemas::ToClient> Receive(BootSpan wait);
  // Asks and waits. Refusals, silence and Ctrl-C are failures. Answers of other numbers are
  // dropped, but for those that were promised to be kept: Receive gives them.
  Expect<schemas::ToClient> Call(const Question& question, BootSpan wait = kAnswerWait);
  // The same for answers that are rows or an acceptance.
  Expect<schemas::Rows> Rows(const Question& question, BootSpan wait = kAnswerWait);
  Expect<schemas::Accepted> Accepted(const Question& question, BootSpan wait = kAnswerWait);

  void Keep(MessageNumber number) { kept_number_ = number; }

  // Why nobody answers, as of now.
  Failure Silence();
  bool Connected() { return link_->Link() == io::LinkState::kConnected; }
  const Federation& federation() const { return federation_; }
  const std::string& site() const { return federation_.site; }  // --via; else empty

 private:
  MetaClient(Federation federation, std::unique_ptr<io::Client> link, bool moves)
      : federation_(std::move(federation)), link_(std::move(link)), moves_(moves) {}
  std::optional<schemas::ToClient> FromLink(BootSpan wait);
  Federation federation_;
  std::unique_ptr<io::Client> link_;
  uint64_t last_number_ = 0;
  MessageNumber kept_number_;
  std::deque<schemas::ToClient> kept_;
  bool moves_ = false;  // stderr is a terminal
  bool was_connected_ = false;
};

// Tells on stderr, once each time, that the link is lost and that it is back, and how jobs are
// found again meanwhile.
class LinkTeller {
 public:
  // True when the link has just come back: what was asked for is to be asked for again.
  bool Look(MetaClient& client);

 private:
  bool connected_ = false;
  bool lost_ = false;
};
// How jobs are found again.
inline constexpr char kFindAgain[] =
    "'muster queue' shows your jobs, 'muster wait last' waits for the newest";

// A refusal of the meta in the anatomy of errors.
Failure FailureOf(const schemas::Refused& refused);

// The number of a shown job: "43", "43[7]", "lakes/17"; a whole array, "43[1-100]", counts as its
// job. Zero if it has none.
RequestId IdOf(const schemas::JobView& job);
// All rows of a listing, page by page. For jobs only.
Expect<schemas::Rows> AllJobs(MetaClient& client, schemas::Get get);

}  // namespace muster::cli
