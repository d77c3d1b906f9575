// Orders by operators: drain, resume, site forget, reload.
#include <iterator>
#include <set>
#include <utility>

#include "base/status.h"
#include "base/units.h"
#include "cli/verbs/act.h"
#include "cli/verbs/look.h"
#include "cli/verbs/nodes_named.h"
#include "cli/verbs/stays.h"

namespace muster::cli {
namespace {

// Splits "lakes/n[1-3,5],lakes/n7" at the commas outside of brackets.
std::vector<std::string> Pieces(const std::string& word) {
  std::vector<std::string> pieces(1);
  bool inside = false;
  for (const char c : word) {
    if (c == '[') inside = true;
    if (c == ']') inside = false;
    if (c == ',' && !inside) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

// The note about `names[i]`. There is one note per name, or one per site, sorted by site name.
std::string NoteOf(const std::vector<std::string>& names, size_t i,
                   const std::vector<std::string>& notes) {
  if (notes.size() == names.size()) return notes[i];
  std::set<std::string> sites;
  const auto site = [](const std::string& name) { return name.substr(0, name.find('/')); };
  for (const std::string& name : names) sites.insert(site(name));
  if (notes.size() != sites.size()) return "";
  return notes[static_cast<size_t>(std::distance(sites.begin(), sites.find(site(names[i]))))];
}

std::vector<ChangedTarget> TargetsOf(const std::vector<std::string>& names,
                                     const schemas::Accepted& accepted,
                                     const std::string& otherwise) {
  std::vector<ChangedTarget> targets;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string text = NoteOf(names, i, accepted.notes);
    // Removes a name that the note repeats.
    if (text.starts_with(names[i])) {
      const size_t rest = text.find_first_not_of(" :", names[i].size());
      text = rest == std::string::npos ? "" : text.substr(rest);
    }
    targets.push_back({names[i], text.empty() ? otherwise : std::move(text)});
  }
  return targets;
}

Result ActOnNodes(Given given, schemas::Act act, const std::string& verb, const char* otherwise) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  if (session->given.words.empty()) {
    return UsageError("which nodes?", "as in muster " + verb + " lakes/n1 or lakes/n[1-4]");
  }
  auto nodes = NodesNamed(session->given.words, session->client.site());
  if (!nodes.ok()) return nodes.failure();
  act.nodes = nodes.value();
  act.hard = session->given.Has("--hard");
  act.for_good = act.verb == schemas::ActVerb::kDrain && session->given.Has("--for-good");
  act.reason = session->given.Maybe("--reason").value_or("");
  auto accepted = SendAct(session.value(), act);
  if (!accepted.ok()) return accepted.failure();
  // Shows what stays after a soft drain; an error here is ignored, since the drain is done.
  std::vector<NodeStays> stays;
  if (act.verb == schemas::ActVerb::kDrain && !act.hard) {
    if (auto found = StaysOn(session.value(), nodes.value()); found.ok()) stays = found.value();
  }
  const std::string& site = session->client.site();
  for (std::string& node : nodes.value()) {
    if (!site.empty()) node.insert(0, site + "/");
  }
  ActDocument document{.as_of = WallNow(), .verb = verb};
  document.targets = TargetsOf(nodes.value(), accepted.value(), otherwise);
  for (size_t i = 0; i < stays.size(); ++i) {
    std::string& text = document.targets[i].text;
    if (text.starts_with("told to ")) text = otherwise;
    text += "; " + stays[i].text;
  }
  ShowAct(session->context, document);
  return kExitDone;
}

}  // namespace

Expect<std::vector<std::string>> NodesNamed(const std::vector<std::string>& words,
                                            const std::string& site) {
  std::vector<std::string> nodes;
  for (const std::string& word : words) {
    for (const std::string& piece : Pieces(word)) {
      const size_t slash = piece.find('/');
      const std::string named = slash == std::string::npos ? site : piece.substr(0, slash);
      const std::string names = slash == std::string::npos ? piece : piece.substr(slash + 1);
      if (named.empty()) {
        return UsageError("'" + piece + "' names no node of a site", "as in lakes/" + names);
      }
      if (!site.empty() && named != site) {
        return UsageError("'" + piece + "' is no node of " + site + ", which is asked");
      }
      const auto expanded = ExpandNames(names);
      if (!expanded.ok()) {
        return UsageError("'" + piece + "': " + std::string(Text(expanded.status())),
                          "as in lakes/n1 or lakes/n[1-4]");
      }
      for (const std::string& name : *expanded) {
        nodes.push_back(site.empty() ? named + "/" + name : name);
      }
    }
  }
  return nodes;
}

namespace {

Options DrainOptions() {
  Options options("drain [options] NODE …", "Takes nodes out of use: nothing new starts there.",
                  Words::kAnywhere);
  options.Value("--reason", "TEXT", "why, for all to see")
      .Flag("--hard", "move what is booked there and has not started")
      .Flag("--for-good", "what is out does not come back");
  YesOption(options).Globals().Note("NODE: lakes/n1, lakes/n[1-4]\n");
  return options;
}
Result RunDrain(Given given) {
  return ActOnNodes(std::move(given), {.verb = schemas::ActVerb::kDrain}, "drain", "draining");
}

Options ResumeOptions() {
  Options options("resume NODE …", "Puts drained nodes back to use.", Words::kAnywhere);
  YesOption(options).Globals().Note("NODE: lakes/n1, lakes/n[1-4]\n");
  return options;
}
Result RunResume(Given given) {
  return ActOnNodes(std::move(given), {.verb = schemas::ActVerb::kResume}, "resume",
                    "in use again");
}

Options SiteOptions() {
  Options options("site forget NAME", "Gives a site up, for good. For operators; audited.",
                  Words::kAnywhere);
  YesOption(options)
      .Choices({"forget"})
      .Globals()
      .Note(
          "What was promised there is placed anew; what ran there has an unknown outcome,\n"
          "which 'muster settle' decides. A site that comes back after that begins anew.\n");
  return options;
}

Result RunSite(Given given) {
  if (given.words.size() != 2 || given.words.front() != "forget") {
    return UsageError("site knows one word: forget NAME", "as in muster site forget hills");
  }
  const std::string name = given.words.back();
  const bool yes = given.Has("--yes");
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  if (!yes) {
    if (!session->context.terminal_in || !session->context.terminal_err) {
      return Fail("conflict", "this would give site '" + name + "' up, for good",
                  "go ahead with --yes", "nothing was changed");
    }
    if (!Agreed("This gives site '" + name + "' up, for good. Go ahead?")) {
      return Fail("conflict", "not agreed to", "", "nothing was changed");
    }
  }
  auto accepted = SendAct(session.value(), {.verb = schemas::ActVerb::kForget, .site = name});
  if (!accepted.ok()) return accepted.failure();
  ActDocument document{.as_of = WallNow(), .verb = "forget"};
  document.targets = TargetsOf({name}, accepted.value(), "given up");
  ShowAct(session->context, document);
  return kExitDone;
}

Options ReloadOptions() {
  Options options("reload", "Applies the changed configuration of the meta; with --via, a site's.",
                  Words::kAnywhere);
  YesOption(options).Globals();
  return options;
}

Result RunReload(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  if (!session->given.words.empty()) return NoWords("reload", session->given.words.front());
  auto accepted = SendAct(session.value(), {.verb = schemas::ActVerb::kReload});
  if (!accepted.ok()) return accepted.failure();
  ActDocument document{.as_of = WallNow(), .verb = "reload"};
  const std::string name = session->client.federation().asked();
  if (accepted->notes.size() <= 1) {
    document.targets = TargetsOf({name}, accepted.value(), "configuration applied");
  } else {
    for (const std::string& note : accepted->notes) document.targets.push_back({name, note});
  }
  ShowAct(session->context, document);
  return kExitDone;
}

}  // namespace

const Verb kDrainVerb = {"drain", "Operate", "take a node out of use", DrainOptions, RunDrain};
const Verb kResumeVerb = {"resume", "Operate", "put it back", ResumeOptions, RunResume};
const Verb kSiteVerb = {"site", "Operate", "forget NAME: give a site up", SiteOptions, RunSite};
const Verb kReloadVerb = {"reload", "Operate", "apply it", ReloadOptions, RunReload};

}  // namespace muster::cli
