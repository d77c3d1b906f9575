// `logs`, and the output that `submit -f` follows: reads all parts of the jobs at once. Each stream
// is polled from its last offset on, since only the site has the output.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/phrases.h"
#include "cli/replies.h"
#include "cli/verbs/following.h"
#include "cli/verbs/verb.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;
using TimePoint = SteadyClock::time_point;

// poll interval of a stream without new output
constexpr std::chrono::milliseconds kLookAgain{200};
// poll interval of a stream that the site does not know yet
constexpr std::chrono::milliseconds kNotThereYet{500};
constexpr std::chrono::milliseconds kJobAgain{500};  // poll interval of the job's state
// wait before a question is repeated; without -f also the longest silence
constexpr std::chrono::seconds kAnswerLost{5};
// A site with a short outage reconnects within this time. After it, an unknown outcome may stay
// unknown for long, so following ends.
constexpr std::chrono::seconds kUnknownFor{10};
// number of empty answers after the job's end that end the stream
constexpr int kEmptyAfterEnd = 3;

struct Stream {
  size_t job = 0;  // index into jobs_
  uint32_t part = 0;
  std::string name;  // "42.1"
  bool error_stream = false;
  uint64_t offset = 0;
  bool done = false;
  int empty_after_end = 0;
  MessageNumber asked;  // 0: no question is outstanding
  TimePoint asked_at;
  TimePoint due;
  std::string rest;  // incomplete last line
};

struct Watched {
  OutputWanted wanted;
  schemas::JobView view;
  std::optional<TimePoint> unknown_since;
  bool ended() const { return view.state == schemas::RequestState::kEnded; }
};

bool Started(const schemas::JobView& view, uint32_t part) {
  return part >= 1 && part <= view.parts.size() && view.parts[part - 1].started_at.has_value();
}

schemas::Get NamedJob(const MetaClient& client, schemas::GetKind kind, RequestId id) {
  schemas::Get get{.kind = kind};
  // A site distinguishes its own jobs from the federation's.
  if (client.site().empty()) {
    get.requests = {id};
  } else {
    get.locals = {id.value};
  }
  return get;
}

class Reader {
 public:
  Reader(MetaClient& client, const Context& context) : client_(client), context_(context) {}

  std::optional<Failure> Watch(const OutputWanted& wanted) {
    auto rows = wanted.site.empty() ? GetJob(client_, wanted.job)
                                    : GetLocalJob(client_, {wanted.site, wanted.job.value, 0});
    if (!rows.ok()) return rows.failure();
    Watched job{wanted, std::move(rows->jobs.front())};
    if (job.view.array && !wanted.job.is_element()) return WatchElements(wanted, job.view);
    const size_t parts = job.view.parts.size();
    if (wanted.part > parts) {
      return Fail("not-found", fmt::format("job {} has {}", job.view.id, Counted(parts, "part")));
    }
    for (uint32_t part = 1; part <= parts; ++part) {
      if (wanted.part != 0 && wanted.part != part) continue;
      for (const bool error_stream : {false, true}) {
        Stream stream;
        stream.job = jobs_.size();
        stream.part = part;
        stream.name = job.view.parts[part - 1].id;
        stream.error_stream = error_stream;
        streams_.push_back(std::move(stream));
        prefixed_ = prefixed_ || part > 1;
      }
    }
    prefixed_ = prefixed_ && wanted.part == 0;
    jobs_.push_back(std::move(job));
    prefixed_ = prefixed_ || jobs_.size() > 1;
    return std::nullopt;
  }

  std::optional<Failure> WatchElements(const OutputWanted& wanted, const schemas::JobView& array) {
    const std::vector<RequestId> elements = ElementsOf(array);
    if (elements.size() > kElementsFollowed) {
      const std::string id = ToText(wanted.job);
      return UsageError(fmt::format("job {} has {} elements", id, elements.size()),
                        fmt::format("name at most {} of them, as in {}[{}]", kElementsFollowed, id,
                                    array.array->first));
    }
    OutputWanted one = wanted;
    for (const RequestId element : elements) {
      one.job = element;
      if (auto failure = Watch(one)) return failure;
    }
    return std::nullopt;
  }

  Result Run() {
    heard_ = SteadyClock::now();
    while (!Finished()) {
      if (Interrupted()) return kExitInterrupted;
      const TimePoint now = SteadyClock::now();
      if (link_.Look(client_)) AskAgain();
      if (now - heard_ > kGivenUp) return client_.Silence();
      if (auto failure = UnknownTooLong(now)) return *failure;
      if (!jobs_.front().wanted.follow && now - heard_ > kAnswerLost) return client_.Silence();
      Ask(now);
      while (auto message = client_.Receive(Milliseconds(20))) {
        heard_ = SteadyClock::now();
        if (auto failure = Take(*message)) return *failure;
      }
    }
    return kExitDone;
  }

 private:
  bool Finished() const {
    for (const Stream& stream : streams_) {
      if (!stream.done) return false;
    }
    for (const Watched& job : jobs_) {
      if (job.wanted.follow && !job.ended()) return false;
    }
    return true;
  }

  std::optional<Failure> UnknownTooLong(TimePoint now) const {
    for (const Watched& job : jobs_) {
      if (!job.unknown_since || now - *job.unknown_since < kUnknownFor) continue;
      return Fail("timeout", "job " + job.view.id + " may have run; its site does not tell",
                  "it is known when the site is back, or an operator settles it: muster wait " +
                      job.view.id,
                  "its outcome is unknown");
    }
    return std::nullopt;
  }

  // Questions sent before the link was lost may not have arrived.
  void AskAgain() {
    for (Stream& stream : streams_) stream.asked = {};
    job_numbers_.clear();
    job_due_ = {};
  }

  schemas::Get GetOf(schemas::GetKind kind, const OutputWanted& wanted) const {
    schemas::Get get = NamedJob(client_, kind, wanted.job);
    if (wanted.site.empty()) return get;
    get.requests.clear();
    get.sites = {wanted.site};
    get.locals = {wanted.job.value};
    return get;
  }

  void Ask(TimePoint now) {
    if (now >= job_due_) {
      for (size_t i = 0; i < jobs_.size(); ++i) {
        if (!jobs_[i].wanted.follow || jobs_[i].ended()) continue;
        job_numbers_[client_.Send(GetOf(schemas::GetKind::kJob, jobs_[i].wanted))] = i;
      }
      job_due_ = now + kJobAgain;
    }
    for (Stream& stream : streams_) {
      const bool lost = stream.asked.value != 0 && now - stream.asked_at > kAnswerLost;
      if (stream.done || (stream.asked.value != 0 && !lost) || now < stream.due) continue;
      schemas::Get get = GetOf(schemas::GetKind::kOutput, jobs_[stream.job].wanted);
      get.part = stream.part;
      get.error_stream = stream.error_stream;
      get.offset = stream.offset;
      stream.asked = client_.Send(get);
      stream.asked_at = now;
    }
  }

  std::optional<Failure> Take(const schemas::ToClient& message) {
    if (const auto job = job_numbers_.find(message.answers); job != job_numbers_.end()) {
      const auto* rows = std::get_if<schemas::Rows>(&message.body);
      if (rows != nullptr && !rows->jobs.empty()) See(jobs_[job->second], rows->jobs.front());
      job_numbers_.erase(job);
      return std::nullopt;
    }
    for (Stream& stream : streams_) {
      if (stream.asked.value == 0 || stream.asked != message.answers) continue;
      stream.asked = {};
      if (const auto* refused = std::get_if<schemas::Refused>(&message.body)) {
        return TakeRefusal(stream, *refused);
      }
      const auto* rows = std::get_if<schemas::Rows>(&message.body);
      TakeOutput(stream, rows == nullptr || rows->output.empty() ? schemas::OutputRow{}
                                                                 : rows->output.front());
      break;
    }
    return std::nullopt;
  }

  static void See(Watched& job, const schemas::JobView& view) {
    const bool unknown = view.state == schemas::RequestState::kUnknown;
    if (!unknown) job.unknown_since.reset();
    if (unknown && !job.unknown_since) job.unknown_since = SteadyClock::now();
    job.view = view;
  }

  // With -f, errors that may pass are retried later.
  std::optional<Failure> TakeRefusal(Stream& stream, const schemas::Refused& refused) {
    const Watched& job = jobs_[stream.job];
    const bool may_pass =
        refused.code == "unreachable" || refused.code == "busy" || refused.code == "expired";
    if (!job.wanted.follow || !may_pass) return FailureOf(refused);
    stream.due = SteadyClock::now() + kNotThereYet;
    return std::nullopt;
  }

  void TakeOutput(Stream& stream, const schemas::OutputRow& row) {
    const Watched& job = jobs_[stream.job];
    const uint64_t offset = stream.offset;
    if (row.known && !row.data.empty()) stream.offset = row.next;
    const bool empty = !row.known || row.data.empty();
    bool over = row.known && row.ended;
    if (empty && !over) {
      const bool never = job.ended() && !Started(job.view, stream.part);
      if (job.ended()) ++stream.empty_after_end;
      over = !job.wanted.follow || never || stream.empty_after_end >= kEmptyAfterEnd;
    }
    Write(stream, row, offset, over);
    stream.done = over;
    const auto now = SteadyClock::now();
    stream.due = !empty ? now : now + (row.known ? kLookAgain : kNotThereYet);
  }

  void Write(Stream& stream, const schemas::OutputRow& row, uint64_t offset, bool last) {
    if (context_.json) {
      if (row.data.empty() && !last) return;
      PrintJson(ToDocument(OutputLine{.part = stream.name,
                                      .stream = stream.error_stream ? "stderr" : "stdout",
                                      .offset = offset,
                                      .data = row.data,
                                      .next = std::max(row.next, offset),
                                      .ended = last}),
                true);
      return;
    }
    // A single part's output is passed on unchanged: it may print half a line.
    const std::string text =
        prefixed_ ? views::PrefixedLines(stream.name, row.data, last, stream.rest) : row.data;
    if (text.empty()) return;
    if (stream.error_stream) {
      Say(text);
    } else {
      Print(text);
    }
  }

  MetaClient& client_;
  const Context& context_;
  std::vector<Watched> jobs_;
  std::vector<Stream> streams_;
  std::map<MessageNumber, size_t> job_numbers_;  // index into jobs_ by message number
  LinkTeller link_;
  TimePoint job_due_;
  TimePoint heard_;
  bool prefixed_ = false;
};

// The last non-empty line, cut to fit into a message.
std::string LastOf(std::string_view text) {
  constexpr size_t kShown = 60;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  const size_t newline = text.find_last_of('\n');
  if (newline != std::string_view::npos) text.remove_prefix(newline + 1);
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return views::Cut(line, kShown);
}

}  // namespace

std::string LastLineOf(MetaClient& client, RequestId id, const schemas::JobView& job) {
  constexpr int kPieces = 8;                      // longest output to read, in pieces
  constexpr size_t kTail = 4096;                  // longest line, in bytes
  constexpr BootSpan kWait = Milliseconds(1000);  // longest wait per piece
  uint32_t failed = 1;
  for (uint32_t i = 0; i < job.parts.size(); ++i) {
    const schemas::PartView& part = job.parts[i];
    if (!part.signal && part.exit_code.value_or(0) == 0) continue;
    failed = i + 1;
    break;
  }
  for (const bool error_stream : {true, false}) {
    schemas::Get get = NamedJob(client, schemas::GetKind::kOutput, id);
    get.part = failed;
    get.error_stream = error_stream;
    std::string tail;
    for (int piece = 0; piece < kPieces; ++piece) {
      auto rows = client.Rows(get, kWait);
      if (!rows.ok()) return "";
      if (rows->output.empty() || !rows->output.front().known) break;
      const schemas::OutputRow& row = rows->output.front();
      tail += row.data;
      if (tail.size() > kTail) tail.erase(0, tail.size() - kTail);
      if (row.ended || row.data.empty()) {
        if (std::string line = LastOf(tail); !line.empty()) return line;
        break;
      }
      get.offset = row.next;
    }
  }
  return "";
}

Result ShowOutput(MetaClient& client, const Context& context,
                  const std::vector<OutputWanted>& wanted) {
  Reader reader(client, context);
  for (const OutputWanted& one : wanted) {
    if (auto failure = reader.Watch(one)) return *failure;
  }
  return reader.Run();
}

namespace {

Options LogsOptions() {
  Options options("logs [-f] JOB …", "Output of jobs, all parts; the part stands before each line.",
                  Words::kAnywhere);
  options.Flag("-f,--follow", "until the jobs end").Globals();
  options.Note(kJobsNote +
               std::string("A part: 42.2, 43[7].2. The job's stderr goes to stderr.\n"));
  return options;
}

Result RunLogs(Given given) {
  auto set = JobsOf(given.words, "logs");
  if (!set.ok()) return set.failure();
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  const bool follow = session->given.Has("-f");
  auto targets = ResolveAll(session->client, set.value());
  if (!targets.ok()) return targets.failure();
  std::map<RequestId, uint32_t> parts;  // for each job named with a part: that part
  std::vector<OutputWanted> wanted;
  for (const text::JobName& name : set->names) {
    if (!name.part || (!name.site.empty() && session->client.site().empty())) continue;
    const RequestId job{name.job};
    const RequestId id = name.element ? job.element(*name.element) : job;
    parts[id] = *name.part;
    wanted.push_back({id, "", *name.part, follow});
  }
  for (const RequestId id : targets->requests) {
    if (!parts.contains(id)) wanted.push_back({id, "", 0, follow});
  }
  for (const LocalJob& job : targets->locals) {
    wanted.push_back({RequestId{job.number}, job.site, job.part, follow});
  }
  if (wanted.empty()) return kExitDone;
  CatchInterrupt();
  const Result result = ShowOutput(session->client, session->context, wanted);
  if (result.ok() && result.exit() == kExitInterrupted && follow) {
    const OutputWanted& first = wanted.front();
    const std::string id = first.site.empty() ? IdShown(session->client, first.job)
                                              : first.site + "/" + ToText(first.job);
    Warn("job " + id + " goes on; muster logs -f " + id);
  }
  return result;
}

}  // namespace

const Verb kLogsVerb = {"logs", "Work", "output of jobs, all parts; -f follows", LogsOptions,
                        RunLogs};

}  // namespace muster::cli
