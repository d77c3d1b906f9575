// The command tree: its help, and what unknown words are answered.
#include "cli/command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "cli/completion.h"
#include "cli/documents.h"
#include "cli/schema.h"
#include "cli/verbs/verb.h"
#include "cli/views/format.h"

namespace muster::cli {
namespace {

std::string Told(const std::string& word) { return RenderFailure(UnknownCommand(word)); }

TEST(CommandTest, EveryVerbOfThisStageIsThere) {
  for (const char* name :
       {"submit", "ask",     "wait",     "logs",     "cancel", "hold",   "release",    "queue",
        "show",   "explain", "priority", "shares",   "slots",  "gantt",  "sites",      "nodes",
        "drain",  "resume",  "settle",   "site",     "check",  "reload", "keys",       "up",
        "down",   "sim",     "events",   "verdicts", "schema", "digest", "completion", "help"}) {
    EXPECT_NE(Overview().find(std::string(" ") + name + " "), std::string::npos) << name;
    EXPECT_TRUE(HelpOn(name).ok()) << name;
  }
  EXPECT_TRUE(HelpOn("q").ok());
}

TEST(CommandTest, HelpFitsThePageAndNamesItsVerb) {
  std::vector<std::string> texts = {Overview()};
  for (const Verb& verb : Verbs()) {
    texts.push_back(verb.options().Help());
    EXPECT_TRUE(texts.back().starts_with("Usage: muster " + std::string(verb.name)))
        << texts.back();
  }
  for (const std::string& text : texts) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(views::Columns(line), views::kPageWidth) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(CommandTest, CommandsOfOtherSystemsTeach) {
  EXPECT_EQ(Told("squeue"),
            "muster: error[usage]: no command 'squeue'; here it is 'muster queue'\n");
  EXPECT_EQ(Told("qsub"), "muster: error[usage]: no command 'qsub'; here it is 'muster submit'\n");
  EXPECT_EQ(Told("scancel"),
            "muster: error[usage]: no command 'scancel'; here it is 'muster cancel'\n");
}

TEST(CommandTest, WhatIsNotBuiltYetIsSaidToBeMissing) {
  EXPECT_EQ(Told("backup"),
            "muster: error[usage]: 'backup' is not in this version of muster\n"
            "  help: 'muster help' lists what is\n");
}

TEST(CommandTest, MistypedCommandsAreGuessed) {
  EXPECT_EQ(Told("sumbit"),
            "muster: error[usage]: no command 'sumbit'; did you mean 'submit'?\n"
            "  help: 'muster help' lists them all\n");
  EXPECT_EQ(Told("xyzzy"),
            "muster: error[usage]: no command 'xyzzy'\n"
            "  help: 'muster help' lists them all\n");
}

// Codes in the sources: those of refusals, of failures of this command and of diagnostics.
std::set<std::string> CodesInSources() {
  const char* source = std::getenv("MUSTER_SOURCE_DIR");
  const std::filesystem::path root(source != nullptr ? source : ".");
  const std::regex code(R"re((?:Refused\{"|\bFail\("|\bFail\([a-z]+ \? "|)re"
                        R"re(\.code = "(?=[a-z-]+",\s*\.message))([a-z-]+)")re");
  std::set<std::string> codes;
  for (const char* folder : {"base", "cli", "meta", "partitioner", "schemas", "site", "verifier"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".cc") || path.ends_with("_test.cc")) continue;
      std::ifstream file(path);
      std::stringstream text;
      text << file.rdbuf();
      const std::string all = text.str();
      for (auto it = std::sregex_iterator(all.begin(), all.end(), code);
           it != std::sregex_iterator(); ++it) {
        codes.insert((*it)[1]);
      }
    }
  }
  return codes;
}

TEST(CommandTest, EveryErrorCodeOfTheSourcesHasAHelpAndAnExitStatus) {
  const std::set<std::string> codes = CodesInSources();
  for (const char* known : {"never", "denied", "conflict", "usage", "not-found", "disk-full"}) {
    EXPECT_TRUE(codes.contains(known)) << known << " is not found: is the search still right?";
  }
  for (const std::string& code : codes) {
    const auto text = HelpOn(code);
    ASSERT_TRUE(text.ok()) << code;
    EXPECT_TRUE(text.value().starts_with("error[" + code + "], exit ")) << code;
    if (code != "internal") EXPECT_NE(ExitOf(code), kExitInternal) << code;
  }
}

TEST(CommandTest, ExitStatusesAreThoseOfThePage) {
  EXPECT_EQ(ExitOf("usage"), 2);
  EXPECT_EQ(ExitOf("not-found"), 3);
  EXPECT_EQ(ExitOf("denied"), 4);
  EXPECT_EQ(ExitOf("wrong-key"), 4);
  EXPECT_EQ(ExitOf("unreachable"), 5);
  EXPECT_EQ(ExitOf("timeout"), 6);
  EXPECT_EQ(ExitOf("never"), 7);
  EXPECT_EQ(ExitOf("window"), 7);
  EXPECT_EQ(ExitOf("conflict"), 8);
  EXPECT_EQ(ExitOf("anything else"), 1);
}

TEST(SchemaTest, EveryDocumentIsDescribedUnderItsName) {
  const std::vector<std::string> names = SchemaNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) {
    const auto schema = SchemaNamed(name);
    ASSERT_TRUE(schema) << name;
    EXPECT_EQ((*schema)["properties"]["schema"]["const"], name);
  }
  EXPECT_EQ(SchemaNamed("job"), SchemaNamed("muster.job/1"));
  EXPECT_FALSE(SchemaNamed("nothing"));
}

// Every member that is printed is described, in its place, and the reverse.
void ExpectDescribed(const Json& document, const Json& schema, const std::string& where) {
  if (!document.is_object() || !schema.contains("properties")) return;
  std::vector<std::string> printed;
  for (const auto& [name, value] : document.items()) printed.push_back(name);
  std::vector<std::string> described;
  for (const auto& [name, value] : schema["properties"].items()) described.push_back(name);
  EXPECT_EQ(printed, described) << where;
  for (const auto& [name, value] : document.items()) {
    const Json& inner = schema["properties"][name];
    if (value.is_array() && !value.empty()) {
      ExpectDescribed(value[0], inner["items"], where + "." + name);
    } else {
      ExpectDescribed(value, inner, where + "." + name);
    }
  }
}

TEST(SchemaTest, SchemasDescribeWhatIsPrinted) {
  schemas::JobView job{.id = "43"};
  job.array = schemas::ArrayView{.first = 1, .last = 9};
  job.parts.emplace_back();
  job.history.emplace_back();
  job.events.emplace_back();
  ExpectDescribed(ToDocument(JobDocument{Moment{1}, job}), *SchemaNamed("job"), "job");
  QueueDocument queue{.as_of = Moment{1}};
  queue.jobs.push_back({job});
  ExpectDescribed(ToDocument(queue), *SchemaNamed("queue"), "queue");
  ExplainDocument explain{.as_of = Moment{1}};
  explain.parts.push_back({.reasons = {{}}});
  explain.changes.emplace_back();
  explain.binding.emplace();
  ExpectDescribed(ToDocument(explain), *SchemaNamed("explain"), "explain");
  PriorityDocument priority{.as_of = Moment{1}};
  priority.priority.rows.emplace_back();
  priority.priority.ways.emplace_back();
  ExpectDescribed(ToDocument(priority), *SchemaNamed("priority"), "priority");
  SharesDocument shares{.as_of = Moment{1}};
  shares.shares.emplace_back();
  ExpectDescribed(ToDocument(shares), *SchemaNamed("shares"), "shares");
  OrderDocument order{.as_of = Moment{1}};
  order.holds.push_back({.rows = {{}}});
  ExpectDescribed(ToDocument(order), *SchemaNamed("order"), "order");
  GanttDocument gantt{.as_of = Moment{1}};
  gantt.sites.push_back({.bookings = {{}}});
  ExpectDescribed(ToDocument(gantt), *SchemaNamed("gantt"), "gantt");
}

TEST(CompletionTest, KnowsEveryVerbAndItsOptions) {
  for (const std::string& shell : Shells()) {
    const std::string text = CompletionFor(shell);
    for (const Verb& verb : Verbs()) {
      EXPECT_NE(text.find(std::string(verb.name)), std::string::npos) << shell << ' ' << verb.name;
      for (const Options::Listed& option : verb.options().List()) {
        const std::string name =
            shell == "fish"
                ? option.names.back().substr(option.names.back().starts_with("--") ? 2 : 1)
                : option.names.back();
        EXPECT_NE(text.find(name), std::string::npos) << shell << ' ' << name;
      }
    }
  }
}

}  // namespace
}  // namespace muster::cli
