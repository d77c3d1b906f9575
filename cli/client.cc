// Message numbers, time-outs and the explanation of silence. The codec handles bytes, the transport
// the link.
#include "cli/client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/io/zmq/client.h"
#include "base/io/zmq/keys.h"
#include "base/status.h"
#include "base/text/jobs.h"
#include "schemas/codec/codec.h"

namespace muster::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;
// limit on messages of a follow that are kept while a question waits for its answer
constexpr size_t kMostKept = 1000;
constexpr BootSpan kSlice = Milliseconds(50);  // interval for checking the link and Ctrl-C

BootSpan Since(SteadyClock::time_point begin) {
  return Milliseconds(
      std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - begin).count());
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// A spinner on a terminal while an answer is awaited; removed at the end.
class Waiting {
 public:
  Waiting(bool moves, std::string whom) : moves_(moves), whom_(std::move(whom)) {}
  ~Waiting() {
    if (shown_) Say("\r\x1b[K");
  }
  void Tick() {
    if (!moves_ || Since(begin_) < kStillMoves) return;
    static constexpr char kTurns[] = {'-', '\\', '|', '/'};
    Say(std::string("\r") + kTurns[turn_++ % sizeof(kTurns)] + " waiting for " + whom_);
    shown_ = true;
  }

 private:
  bool moves_;
  std::string whom_;
  SteadyClock::time_point begin_ = SteadyClock::now();
  size_t turn_ = 0;
  bool shown_ = false;
};

}  // namespace

Expect<MetaClient> MetaClient::Open(Federation federation, const Context& context) {
  io::ClientOptions options;
  options.endpoint = federation.address.meta;
  options.server_key = federation.address.meta_key;
  options.keys = federation.keys;
  auto link = io::OpenClient(options);
  if (!link.ok()) return Fail("config", std::string(Text(link.status())));
  return MetaClient(std::move(federation), *std::move(link), context.terminal_err);
}

MessageNumber MetaClient::Send(const Question& question, BootSpan wait, MessageNumber again) {
  schemas::ClientMessage message;
  message.number = again.value != 0 ? again : MessageNumber{++last_number_};
  message.expires = Moment{WallNow().milliseconds + wait.milliseconds};
  std::visit([&](const auto& body) { message.body = body; }, question);
  link_->Send(schemas::Encode(message));
  return message.number;
}

std::optional<schemas::ToClient> MetaClient::Receive(BootSpan wait) {
  if (!kept_.empty()) {
    schemas::ToClient message = std::move(kept_.front());
    kept_.pop_front();
    return message;
  }
  return FromLink(wait);
}

std::optional<schemas::ToClient> MetaClient::FromLink(BootSpan wait) {
  const auto begin = SteadyClock::now();
  while (!Interrupted()) {
    const BootSpan left = wait - Since(begin);
    for (const std::string& bytes : link_->Receive(1, std::clamp(left, BootSpan{0}, kSlice))) {
      was_connected_ = true;
      // Ignores messages that cannot be decoded: they come from a newer meta or a foreign program.
      if (auto message = schemas::DecodeToClient(bytes); message.ok()) return *std::move(message);
    }
    if (left <= BootSpan{0}) break;
  }
  return std::nullopt;
}

Expect<schemas::ToClient> MetaClient::Call(const Question& question, BootSpan wait) {
  const MessageNumber number = Send(question, wait);
  const auto begin = SteadyClock::now();
  Waiting waiting(moves_, federation_.asked());
  while (Since(begin) < wait) {
    auto message = FromLink(kSlice);
    if (Interrupted()) return Fail("timeout", "interrupted before an answer came");
    if (message && message->answers == number) {
      if (const auto* refused = std::get_if<schemas::Refused>(&message->body))
        return FailureOf(*refused);
      return *std::move(message);
    }
    if (message && kept_number_.value != 0 && message->answers == kept_number_ &&
        kept_.size() < kMostKept) {
      kept_.push_back(*std::move(message));
    }
    const io::LinkState state = link_->Link();
    was_connected_ = was_connected_ || state == io::LinkState::kConnected;
    if (state == io::LinkState::kHandshakeFailed) break;
    if (!was_connected_ && Since(begin) >= kConnectWait) break;
    waiting.Tick();
  }
  return Silence();
}

Expect<schemas::Rows> MetaClient::Rows(const Question& question, BootSpan wait) {
  auto answer = Call(question, wait);
  if (!answer.ok()) return answer.failure();
  if (auto* rows = std::get_if<schemas::Rows>(&answer->body)) return std::move(*rows);
  return Fail("internal", "the meta answered a question by something else than rows");
}

Expect<schemas::Accepted> MetaClient::Accepted(const Question& question, BootSpan wait) {
  auto answer = Call(question, wait);
  if (!answer.ok()) return answer.failure();
  if (auto* accepted = std::get_if<schemas::Accepted>(&answer->body)) return std::move(*accepted);
  return Fail("internal", "the meta answered an order by something else than an acceptance");
}

bool LinkTeller::Look(MetaClient& client) {
  const bool connected = client.Connected();
  const bool back = connected && lost_;
  if (!connected && connected_ && !lost_) {
    lost_ = true;
    Warn("the connection to " + client.federation().asked() +
         " is lost, trying again; the jobs go on\n        " + kFindAgain);
  } else if (back) {
    lost_ = false;
    Warn("connected again");
  }
  connected_ = connected_ || connected;
  return back;
}

Failure MetaClient::Silence() {
  const config::FederationAddress& address = federation_.address;
  const io::LinkState state = link_->Link();
  if (state == io::LinkState::kHandshakeFailed) {
    Failure failure =
        Fail("wrong-key", federation_.asked() + " takes the connection but not the handshake");
    if (!address.key_where.file.empty()) {
      failure.diagnostic.where = address.key_where;
      failure.diagnostic.where->file = HomeShown(address.key_where.file);
      failure.diagnostic.where->caret_note =
          "public half " + io::ShortKey(federation_.keys.public_key);
    }
    failure.diagnostic.help = {
        "either this key is not on its list (send the public half to an operator)",
        "or meta_key is not its key; the protocol does not tell which"};
    return failure;
  }
  if (state == io::LinkState::kConnected || was_connected_) {
    return Fail("timeout", federation_.asked() + " is connected but does not answer",
                "see its log; repeat the command");
  }
  if (!federation_.site.empty()) {
    return Fail("unreachable", federation_.site + " does not answer at " + address.meta,
                "does its daemon run, and does it listen there?");
  }
  const std::string up =
      address.name == kLocalFederation ? "muster up" : "muster up " + address.name;
  return Fail("unreachable", address.name + " does not answer at " + address.meta,
              federation_.from_up ? "'" + up + "' starts it again"
                                  : "is its meta running, and is this its address?");
}

Failure FailureOf(const schemas::Refused& refused) {
  Failure failure = Fail(refused.code.empty() ? "internal" : refused.code, refused.message);
  failure.diagnostic.notes = LinesOf(refused.detail);
  failure.diagnostic.help = LinesOf(refused.help);
  failure.changed = refused.changed;
  return failure;
}

RequestId IdOf(const schemas::JobView& job) {
  const auto name = text::ParseShownJob(job.id);
  if (!name || name->job >= RequestId::kJobs) return RequestId{};
  const RequestId id{name->job};
  return name->element ? id.element(*name->element) : id;
}

Expect<schemas::Rows> AllJobs(MetaClient& client, schemas::Get get) {
  schemas::Rows all;
  while (true) {
    auto page = client.Rows(get);
    if (!page.ok()) return page.failure();
    all.as_of = page->as_of;
    if (!page->basis.empty()) all.basis = std::move(page->basis);
    std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(all.jobs));
    if (!page->more || page->jobs.empty()) return all;
    const RequestId last = IdOf(all.jobs.back());
    if (last <= get.page_after) return Fail("internal", "pages of jobs do not go on");
    get.page_after = last;
  }
}

}  // namespace muster::cli
