// The command tree: its help, and what unknown words are answered.
#include "cli/command.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/verbs/verb.h"
#include "cli/views/format.h"

namespace muster::cli {
namespace {

std::string Told(const std::string& word) { return RenderFailure(UnknownCommand(word)); }

TEST(CommandTest, EveryVerbOfThisStageIsThere) {
  for (const char* name : {"up", "down", "submit", "ask", "queue", "show", "wait", "logs", "cancel",
                           "sites", "gantt", "check", "keys", "help", "sim"}) {
    EXPECT_NE(Overview().find(std::string(" ") + name), std::string::npos) << name;
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
  EXPECT_EQ(Told("drain"),
            "muster: error[usage]: 'drain' is not in this version of muster\n"
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

TEST(CommandTest, EveryErrorCodeHasAHelpAndAnExitStatus) {
  for (const char* code : {"usage", "chunk", "config", "never", "not-found", "denied", "wrong-key",
                           "unreachable", "no-federation", "timeout", "expired", "conflict",
                           "exists", "busy", "disk-full", "version", "internal"}) {
    const auto text = HelpOn(code);
    ASSERT_TRUE(text.ok()) << code;
    EXPECT_TRUE(text.value().starts_with("error[" + std::string(code) + "]"));
  }
  EXPECT_EQ(ExitOf("usage"), 2);
  EXPECT_EQ(ExitOf("not-found"), 3);
  EXPECT_EQ(ExitOf("denied"), 4);
  EXPECT_EQ(ExitOf("wrong-key"), 4);
  EXPECT_EQ(ExitOf("unreachable"), 5);
  EXPECT_EQ(ExitOf("timeout"), 6);
  EXPECT_EQ(ExitOf("never"), 7);
  EXPECT_EQ(ExitOf("conflict"), 8);
  EXPECT_EQ(ExitOf("anything else"), 1);
}

}  // namespace
}  // namespace muster::cli
