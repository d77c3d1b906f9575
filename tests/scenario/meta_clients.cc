// What users of a scenario's federation ask and order, in the words of cli.md. See meta_world.h.
#include "tests/scenario/meta_world.h"

namespace muster::scenario {
namespace {

const std::map<std::string, bool schemas::RequestSpec::*> kFlags = {
    {"apart", &schemas::RequestSpec::apart},
    {"firm", &schemas::RequestSpec::firm},
    {"rerunnable", &schemas::RequestSpec::rerunnable},
    {"keep-going", &schemas::RequestSpec::keep_going}};

RequestId JobOf(const std::string& text) { return {uint64_t(ToNumber(text))}; }

bool HasWord(const Command& c, const std::string& word) {
  for (const std::string& argument : c.arguments) {
    if (argument == word) return true;
  }
  return false;
}

// Words after the job, each of which must be one of those known.
void CheckWords(const Command& c, const std::vector<std::string>& known) {
  for (size_t i = 1; i < c.arguments.size(); ++i) {
    bool found = false;
    for (const std::string& word : known) found = found || word == c.arguments[i];
    if (!found) throw BadLine("'" + c.name + "' knows no '" + c.arguments[i] + "'");
  }
}

}  // namespace

void MetaWorld::Client(const Command& c, decltype(schemas::ClientMessage::body) body) {
  if (!core_) throw BadLine("the meta is dead: 'restart' comes first");
  schemas::ClientMessage message;
  message.number = MessageNumber{++number_};
  message.body = std::move(body);
  Turn({meta::ClientSays{c.Get("user", "kim"), "terminal", std::move(message)}});
  ScriptedFederation::Settle();
}

// "lakes|woods:4x1+60": at lakes or woods, four chunks of one cpu, a minute after the start.
schemas::PartSpec MetaWorld::PartOf(const std::string& text) const {
  schemas::PartSpec part;
  std::string where = text;
  if (const size_t plus = where.find('+'); plus != std::string::npos) {
    part.offset = Span{ToNumber(where.substr(plus + 1))};
    where.resize(plus);
  }
  std::vector<std::string> amounts = {"1", "1"};
  if (const size_t colon = where.find(':'); colon != std::string::npos) {
    amounts = Split(where.substr(colon + 1), 'x');
    if (amounts.size() != 2) throw BadLine("'" + text + "': right is SITE:CHUNKSxCPUS");
    where.resize(colon);
  }
  part.chunks = {
      {.count = uint32_t(ToNumber(amounts[0])), .resources = {{"ncpus", ToNumber(amounts[1])}}}};
  if (where != "any") part.sites = Split(where, '|');
  for (const std::string& name : part.sites) {
    bool known = false;
    for (const FakeSite& site : sites_) known = known || site.name_ == name;
    if (!known) throw BadLine("no site is called '" + name + "'");
  }
  return part;
}

// "1,any:2"
std::vector<schemas::Dependency> MetaWorld::AfterOf(const std::string& text) const {
  const std::map<std::string, schemas::DependencyKind> kinds = {
      {"ok", schemas::DependencyKind::kOk},
      {"any", schemas::DependencyKind::kAny},
      {"fail", schemas::DependencyKind::kFail}};
  std::vector<schemas::Dependency> after;
  for (const std::string& piece : Split(text, ',')) {
    const auto words = Split(piece, ':');
    const auto kind = kinds.find(words.size() == 2 ? words[0] : "ok");
    if (kind == kinds.end()) throw BadLine("'" + piece + "': right is ok:1, any:1 or fail:1");
    after.push_back({kind->second, JobOf(words.back())});
  }
  return after;
}

schemas::RequestSpec MetaWorld::SpecOf(const Command& c) const {
  schemas::RequestSpec spec;
  spec.name = "halo";
  spec.duration = Span{c.Number("for", 600)};
  spec.payload.argv = {"hostname"};
  for (const std::string& word : c.arguments) {
    const auto flag = kFlags.find(word);
    if (flag != kFlags.end()) {
      spec.*flag->second = true;
    } else if (word == "interactive") {
      spec.request_class = schemas::RequestClass::kInteractive;
    } else {
      spec.parts.push_back(PartOf(word));
    }
  }
  // What the command line cannot say.
  if (c.Has("where")) {
    for (schemas::PartSpec& part : spec.parts) part.sites = {c.Get("where", "")};
  }
  spec.payload.script.assign(size_t(c.Number("script", 0)), 'x');
  if (c.Has("at")) spec.at = InstantOf(c.Get("at", ""));
  if (c.Has("from")) spec.from = InstantOf(c.Get("from", ""));
  if (c.Has("until")) spec.start_by = InstantOf(c.Get("until", ""));
  if (c.Has("deadline")) spec.deadline = InstantOf(c.Get("deadline", ""));
  if (c.Has("notice")) spec.start_notice = Span{c.Number("notice", 0)};
  if (c.Has("inside")) spec.inside = JobOf(c.Get("inside", ""));
  spec.queue = c.Get("queue", options_.queues.back().name);
  spec.after = AfterOf(c.Get("after", ""));
  if (c.Has("reserves")) {
    spec.reserves = schemas::ReservationSpec{.allow = Split(c.Get("reserves", ""), ',')};
    spec.payload = {};
  }
  return spec;
}

void MetaWorld::Submit(const Command& c) {
  const std::string key = c.Get("once", "key-" + std::to_string(number_));
  schemas::ClientKey once{.text = key};
  if (c.Has("made")) once.generated = ToMoment(InstantOf(c.Get("made", "")));
  Client(c, schemas::Submit{std::move(once), SpecOf(c)});
}

void MetaWorld::Ask(const Command& c) { Client(c, schemas::Ask{SpecOf(c)}); }

void MetaWorld::Slots(const Command& c) {
  schemas::Get get{.kind = schemas::GetKind::kSlots};
  get.spec = SpecOf(c);
  Client(c, std::move(get));
}

void MetaWorld::Cancel(const Command& c) {
  CheckWords(c, {"may-move"});
  Client(c,
         schemas::Cancel{.requests = {JobOf(c.Argument(0))}, .may_move = HasWord(c, "may-move")});
}

void MetaWorld::Park(const Command& c) {
  CheckWords(c, {});
  Client(c, schemas::Act{
                .verb = c.name == "hold" ? schemas::ActVerb::kPark : schemas::ActVerb::kUnpark,
                .requests = {JobOf(c.Argument(0))}});
}

void MetaWorld::Alter(const Command& c) {
  CheckWords(c, {"may-move", "try"});
  schemas::Alteration changes;
  if (c.Has("for")) changes.duration = Span{c.Number("for", 0)};
  if (c.Has("name")) changes.name = c.Get("name", "");
  if (c.Has("from")) changes.from = InstantOf(c.Get("from", ""));
  if (c.Has("after")) changes.after = AfterOf(c.Get("after", ""));
  if (c.Has("clear")) changes.cleared = Split(c.Get("clear", ""), ',');
  if (c.Has("place")) {
    if (c.Get("place", "") != "scatter") throw BadLine("right is place=scatter");
    changes.parts = {{.place = schemas::Place::kScatter}};
  }
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {JobOf(c.Argument(0))}};
  act.may_move = HasWord(c, "may-move");
  act.only_try = HasWord(c, "try");
  act.changes = std::move(changes);
  Client(c, std::move(act));
}

// `settle 2 ended user=root` decides an unknown outcome.
void MetaWorld::Settle(const Command& c) {
  CheckWords(c, {"ended", "never-ran"});
  schemas::Act act{.verb = schemas::ActVerb::kSettle, .requests = {JobOf(c.Argument(0))}};
  act.settled =
      c.Argument(1) == "ended" ? schemas::Settlement::kEnded : schemas::Settlement::kNeverRan;
  Client(c, std::move(act));
}

void MetaWorld::Output(const Command& c) {
  Client(c, schemas::Get{.kind = schemas::GetKind::kOutput, .requests = {JobOf(c.Argument(0))}});
}

void MetaWorld::Plans(const Command& c) {
  Client(c, schemas::Get{.kind = schemas::GetKind::kGantt});
}

void MetaWorld::Follow(const Command& c) { Client(c, schemas::Follow{{JobOf(c.Argument(0))}}); }

// `drain lakes/n1 user=root`
void MetaWorld::Drain(const Command& c) {
  CheckWords(c, {"hard"});
  schemas::Act act{.verb = schemas::ActVerb::kDrain, .nodes = {c.Argument(0)}};
  act.hard = HasWord(c, "hard");
  act.may_move = true;
  Client(c, std::move(act));
}

// `forget lakes user=root` gives the site up.
void MetaWorld::Forget(const Command& c) {
  schemas::Act act{.verb = schemas::ActVerb::kForget, .site = c.Argument(0)};
  act.may_move = true;
  Client(c, std::move(act));
}

}  // namespace muster::scenario
