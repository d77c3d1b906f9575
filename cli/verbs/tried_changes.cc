// The words of a change go to the parser of their verb, so that both say the same of a mistake.
#include "cli/verbs/tried_changes.h"

#include <utility>

#include "base/config/change_config.h"
#include "base/text/when.h"
#include "base/text/words.h"
#include "cli/verbs/account.h"
#include "cli/verbs/alter.h"
#include "cli/verbs/nodes_named.h"
#include "cli/verbs/submitting.h"
#include "schemas/limits.h"

namespace muster::cli {

static_assert(config::kMostChanges == schemas::kTriedChanges);

namespace {

using config::ChangeConfig;
using schemas::TriedChange;

Expect<Given> GivenTo(const Verb& verb, const std::vector<std::string>& words) {
  return verb.options().Parse(words);
}

Expect<std::vector<RequestId>> JobsIn(const std::vector<std::string>& words,
                                      const std::string& verb, Session& session) {
  auto set = JobsOf(words, verb);
  if (!set.ok()) return set.failure();
  auto ids = Resolve(session.client, set.value());
  if (ids.ok() && ids->empty()) return UsageError("which jobs?", "as in " + verb + " 42");
  return ids;
}

class ChangeReader {
 public:
  explicit ChangeReader(Session& session) : session_(session) {}

  Expect<TriedChange> Read(const ChangeConfig& change) {
    TriedChange out;
    const bool of_file = !change.at.empty();
    out.text = of_file ? change.at + ": " + TextOf(change) : change.todo + " " + change.words;
    if (!change.when.empty()) {
      const Instant now = WallNow().Floor();
      const auto when = text::ParseWhen(change.when, now, LocalZone(now));
      if (!when.ok())
        return UsageError("when = \"" + change.when + "\": " + when.diagnostic().message);
      out.when = *when;
    }
    if (of_file) {
      out.file = schemas::FileChange{
          .at = change.at, .path = change.path, .to = change.to, .add = change.add};
      return out;
    }
    const auto split = text::SplitWords(change.words, "", change.line, change.words, 1);
    if (!split.ok()) return UsageError(split.diagnostic().message);
    std::vector<std::string> words;
    for (const text::Word& word : *split) words.push_back(word.text);
    if (auto failed = ReadVerb(change.todo, words, out)) return *failed;
    return out;
  }

 private:
  static std::string TextOf(const ChangeConfig& change) {
    if (change.todo == "set") return change.path + " = " + change.to.value_or("");
    if (change.todo == "remove") return "without " + change.path;
    return "with more lines";
  }

  std::optional<Failure> ReadVerb(const std::string& verb, const std::vector<std::string>& words,
                                  TriedChange& out) {
    if (verb == "submit") return ReadRequest(Asked::kSubmit, words, out);
    if (verb == "reserve") return ReadRequest(Asked::kReserve, words, out);
    if (verb == "cancel") return ReadCancel(words, out);
    auto act = ReadAct(verb, words);
    if (!act.ok()) return act.failure();
    out.act = std::move(act.value());
    return std::nullopt;
  }

  std::optional<Failure> ReadRequest(Asked asked, const std::vector<std::string>& words,
                                     TriedChange& out) {
    auto submission = ReadSubmission(asked, words, ReadHere(session_.context));
    if (!submission.ok()) return submission.failure();
    out.submit = schemas::Submit{.key = NewKey(std::nullopt), .request = submission->request};
    return std::nullopt;
  }

  std::optional<Failure> ReadCancel(const std::vector<std::string>& words, TriedChange& out) {
    auto jobs = JobsIn(words, "cancel", session_);
    if (!jobs.ok()) return jobs.failure();
    out.cancel = schemas::Cancel{.requests = std::move(jobs.value())};
    return std::nullopt;
  }

  Expect<schemas::Act> ReadAct(const std::string& verb, const std::vector<std::string>& words) {
    if (verb == "drain" || verb == "resume") {
      auto given = GivenTo(verb == "drain" ? kDrainVerb : kResumeVerb, words);
      if (!given.ok()) return given.failure();
      return ReadNodesAct(given.value(), verb, session_.client.site());
    }
    if (verb == "alter") {
      auto given = GivenTo(kAlterVerb, words);
      if (!given.ok()) return given.failure();
      return ReadAlterAct(given.value(), session_);
    }
    if (verb == "deposit") {
      std::vector<std::string> line = words;
      line.insert(line.begin(), "deposit");
      auto given = GivenTo(kAccountVerb, line);
      if (!given.ok()) return given.failure();
      return ReadPosting(given.value());
    }
    auto jobs = JobsIn(words, verb, session_);
    if (!jobs.ok()) return jobs.failure();
    return schemas::Act{
        .verb = verb == "hold" ? schemas::ActVerb::kPark : schemas::ActVerb::kUnpark,
        .requests = std::move(jobs.value())};
  }

  Session& session_;
};

}  // namespace

Expect<schemas::Act> ReadNodesAct(const Given& given, const std::string& verb,
                                  const std::string& site) {
  const bool drain = verb == "drain";
  if (given.words.empty()) {
    return UsageError("which nodes?", "as in muster whatif " + verb + " lakes/n1");
  }
  auto nodes = NodesNamed(given.words, site);
  if (!nodes.ok()) return nodes.failure();
  schemas::Act act{.verb = drain ? schemas::ActVerb::kDrain : schemas::ActVerb::kResume,
                   .nodes = std::move(nodes.value())};
  act.hard = drain && given.Has("--hard");
  return act;
}

Expect<schemas::Act> ReadAlterAct(const Given& given, Session& session) {
  auto set = JobsOf(given.words, "whatif alter");
  if (!set.ok()) return set.failure();
  auto changes = ReadAlteration(given, set.value(), ReadHere(session.context));
  if (!changes.ok()) return changes.failure();
  auto ids = Resolve(session.client, set.value());
  if (!ids.ok()) return ids.failure();
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = std::move(ids.value())};
  act.changes = std::move(changes.value());
  return act;
}

Expect<std::vector<TriedChange>> ReadTriedChanges(const std::string& path, Session& session) {
  const auto file = config::ReadChangesConfig(path);
  if (!file.ok()) return Failure(file.diagnostic(), "nothing was tried");
  ChangeReader reader(session);
  std::vector<TriedChange> out;
  for (const ChangeConfig& change : file->changes) {
    auto read = reader.Read(change);
    if (!read.ok()) {
      Failure failure = read.failure();
      failure.diagnostic.where = SourceSpan{.file = path, .line = change.line};
      failure.changed = "nothing was tried";
      return failure;
    }
    out.push_back(std::move(read.value()));
  }
  return out;
}

}  // namespace muster::cli
