// `logs`, and the output that `submit -f` follows: all parts of a job at once, each stream read on
// from where it was, asked for again and again, since only the site has it.
#include <chrono>
#include <map>
#include <utility>

#include "cli/documents.h"
#include "cli/verbs/verb.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;
using TimePoint = SteadyClock::time_point;

constexpr std::chrono::milliseconds kLookAgain{200};    // at a stream that has nothing new
constexpr std::chrono::milliseconds kNotThereYet{500};  // at one the site does not know
constexpr std::chrono::milliseconds kJobAgain{500};     // at the job's state
constexpr std::chrono::seconds kAnswerLost{5};          // then the question is asked again
constexpr std::chrono::seconds kGivenUp{60};            // of silence while following
constexpr int kEmptyAfterEnd = 3;  // looks after the job ended, then nothing follows

struct Stream {
  RequestId job;
  uint32_t part = 0;
  std::string name;  // "42.1"
  bool error_stream = false;
  uint64_t offset = 0;
  bool done = false;
  int empty_after_end = 0;
  MessageNumber asked;  // 0: no question is out
  TimePoint asked_at;
  TimePoint due;
  std::string rest;  // of a line that is not complete
};

struct Watched {
  OutputWanted wanted;
  schemas::JobView view;
  bool ended() const { return view.state == schemas::RequestState::kEnded; }
};

bool Started(const schemas::JobView& view, uint32_t part) {
  return part >= 1 && part <= view.parts.size() && view.parts[part - 1].started_at.has_value();
}

class Reader {
 public:
  Reader(MetaClient& client, const Context& context) : client_(client), context_(context) {}

  std::optional<Failure> Watch(const OutputWanted& wanted) {
    auto rows = GetJob(client_, wanted.job);
    if (!rows.ok()) return rows.failure();
    Watched job{wanted, std::move(rows->jobs.front())};
    const size_t parts = job.view.parts.size();
    if (wanted.part > parts) {
      return Fail("not-found", "job " + job.view.id + " has " + std::to_string(parts) +
                                   (parts == 1 ? " part" : " parts"));
    }
    for (uint32_t part = 1; part <= parts; ++part) {
      if (wanted.part != 0 && wanted.part != part) continue;
      for (const bool error_stream : {false, true}) {
        Stream stream;
        stream.job = wanted.job;
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

  Result Run() {
    heard_ = SteadyClock::now();
    while (!Finished()) {
      if (Interrupted()) return kExitInterrupted;
      const TimePoint now = SteadyClock::now();
      if (now - heard_ > kGivenUp) return client_.Silence();
      if (!jobs_.front().wanted.follow && now - heard_ > kAnswerLost) return client_.Silence();
      Ask(now);
      while (auto message = client_.Receive(Milliseconds(20))) {
        heard_ = SteadyClock::now();
        if (auto failure = Take(*message)) return *failure;
      }
    }
    return kExitDone;
  }

  // REQUIRES one job.
  const schemas::JobView& view() const { return jobs_.front().view; }

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

  Watched& JobOf(RequestId id) {
    for (Watched& job : jobs_) {
      if (job.wanted.job == id) return job;
    }
    return jobs_.front();
  }

  void Ask(TimePoint now) {
    if (now >= job_due_) {
      for (const Watched& job : jobs_) {
        if (!job.wanted.follow || job.ended()) continue;
        schemas::Get get{.kind = schemas::GetKind::kJob, .requests = {job.wanted.job}};
        job_numbers_[client_.Send(get)] = job.wanted.job;
      }
      job_due_ = now + kJobAgain;
    }
    for (Stream& stream : streams_) {
      const bool lost = stream.asked.value != 0 && now - stream.asked_at > kAnswerLost;
      if (stream.done || (stream.asked.value != 0 && !lost) || now < stream.due) continue;
      schemas::Get get{.kind = schemas::GetKind::kOutput, .requests = {stream.job}};
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
      if (rows != nullptr && !rows->jobs.empty()) JobOf(job->second).view = rows->jobs.front();
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

  // A site that is silent now may answer later; whoever follows waits for it.
  std::optional<Failure> TakeRefusal(Stream& stream, const schemas::Refused& refused) {
    const Watched& job = JobOf(stream.job);
    const bool may_pass =
        refused.code == "unreachable" || refused.code == "busy" || refused.code == "expired";
    if (!job.wanted.follow || !may_pass) return FailureOf(refused);
    stream.due = SteadyClock::now() + kNotThereYet;
    return std::nullopt;
  }

  void TakeOutput(Stream& stream, const schemas::OutputRow& row) {
    const Watched& job = JobOf(stream.job);
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
      schemas::OutputRow named = row;
      named.part = stream.name;
      named.ended = last;
      if (named.next < offset) named.next = offset;
      PrintJson(OutputDocument(named, stream.error_stream, offset), true);
      return;
    }
    // Alone on the terminal, bytes are passed on as they are: a part may print half a line.
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
  std::map<MessageNumber, RequestId> job_numbers_;
  TimePoint job_due_;
  TimePoint heard_;
  bool prefixed_ = false;
};

}  // namespace

Result ShowOutput(MetaClient& client, const Context& context,
                  const std::vector<OutputWanted>& wanted) {
  Reader reader(client, context);
  for (const OutputWanted& one : wanted) {
    if (auto failure = reader.Watch(one)) return *failure;
  }
  return reader.Run();
}

Options LogsOptions() {
  Options options("logs [-f] JOB …", "Output of jobs, all parts; the part stands before each line.",
                  Words::kAnywhere);
  options.Flag("-f,--follow", "until the jobs end").Globals();
  options.Note("JOB: 42, 42.2 (one part), 42-48,50, last. The job's stderr goes to stderr.\n");
  return options;
}

Result RunLogs(const std::vector<std::string>& words) {
  auto given = LogsOptions().Parse(words);
  if (!given.ok()) return given.failure();
  auto set = JobsOf(given->words, "logs");
  if (!set.ok()) return set.failure();
  auto session = OpenSession(std::move(given.value()));
  if (!session.ok()) return session.failure();
  const bool follow = session->given.Has("-f");
  std::vector<OutputWanted> wanted;
  for (const text::JobName& name : set->names) {
    wanted.push_back({RequestId{name.job}, name.part.value_or(0), follow});
  }
  text::JobSet others = set.value();
  others.names.clear();
  auto ids = Resolve(session->client, others);
  if (!ids.ok()) return ids.failure();
  for (const RequestId id : ids.value()) wanted.push_back({id, 0, follow});
  if (wanted.empty()) return kExitDone;
  CatchInterrupt();
  const Result result = ShowOutput(session->client, session->context, wanted);
  if (result.ok() && result.exit() == kExitInterrupted && follow) {
    const std::string id = std::to_string(wanted.front().job.value);
    Warn("job " + id + " goes on; muster logs -f " + id);
  }
  return result;
}

}  // namespace muster::cli
