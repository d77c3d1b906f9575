// From words to a request, and refusals that point at what is wrong.
#include "cli/request.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::cli {
namespace {

using Strings = std::vector<std::string>;

constexpr char kScript[] =
    "#!/bin/bash\n"
    "#MUSTER -n halo -t 20m --apart\n"
    "#MUSTER   -l 2:ncpus=4\n"
    "#MUSTER : -l 2:ncpus=4\n"
    "#MUSTER : -l 1:ncpus=2:ngpus=1\n"
    "exec ./halo\n";

Surroundings Around(const std::string& script = kScript) {
  Surroundings around;
  around.now = Instant{1795209240};  // 2026-11-20T21:14:00Z
  around.zone = text::Zone::Fixed(Span{3600});
  around.directory = "/home/kim/work";
  around.read_file = [script](const std::string& path) -> Expect<std::string> {
    if (path != "job.sh") return UsageError("cannot read " + path);
    return script;
  };
  return around;
}

Submission Good(const Strings& words, const std::string& script = kScript) {
  auto read = ReadSubmission(Asked::kSubmit, words, Around(script));
  EXPECT_TRUE(read.ok()) << RenderFailure(read.failure());
  return read.ok() ? read.value() : Submission{{}, {}, {}};
}
std::string Bad(const Strings& words, const std::string& script = kScript,
                Asked asked = Asked::kSubmit) {
  const auto read = ReadSubmission(asked, words, Around(script));
  return read.ok() ? "accepted" : RenderFailure(read.failure());
}

TEST(RequestTest, CommandAfterTwoDashes) {
  const auto request =
      Good({"-l", "2:ncpus=4:mem=2gb", "-t", "30m", "--", "./solve", "grid.dat", ":", "-t"})
          .request;
  EXPECT_EQ(request.name, "solve");
  EXPECT_EQ(request.duration, Span{1800});
  EXPECT_EQ(request.payload.argv, (Strings{"./solve", "grid.dat", ":", "-t"}));
  EXPECT_EQ(request.payload.submit_dir, "/home/kim/work");
  EXPECT_TRUE(request.payload.environment.empty());
  ASSERT_EQ(request.parts.size(), 1u);
  EXPECT_EQ(request.parts[0].chunks,
            (std::vector<schemas::Chunk>{{2, {{"ncpus", 4}, {"mem", int64_t{2} << 30}}, {}}}));
}

TEST(RequestTest, ArraysAndDependenciesAreRead) {
  const auto request = Good({"-a", "1-100%20", "--after", "42,any:43[7]", "--after", "fail:44",
                             "--firm", "--queue", "nightly", "-t", "5m", "--", "./shot.sh"})
                           .request;
  ASSERT_TRUE(request.array);
  EXPECT_EQ(*request.array, (schemas::ArraySpec{1, 100, 1, 20}));
  using Kind = schemas::DependencyKind;
  EXPECT_EQ(request.after, (std::vector<schemas::Dependency>{{Kind::kOk, RequestId{42}},
                                                             {Kind::kAny, RequestId{43}.element(7)},
                                                             {Kind::kFail, RequestId{44}}}));
  EXPECT_TRUE(request.firm);
  EXPECT_EQ(request.queue, "nightly");
}

TEST(RequestTest, AJobSaysHowItMayBeRecalled) {
  using Way = schemas::RecallWay;
  for (const auto& [word, way] :
       {std::pair{"requeue", Way::kRequeue}, std::pair{"checkpoint", Way::kCheckpoint},
        std::pair{"suspend", Way::kSuspend}}) {
    const auto request = Good({"--recall", word, "-t", "5m", "--", "./a"}).request;
    ASSERT_TRUE(request.contract);
    EXPECT_EQ(request.contract->way, way);
  }
  EXPECT_EQ(
      Bad({"--recall", "freeze", "-t", "5m", "--", "./a"}),
      "muster: error[usage]: --recall freeze: a job is recalled by 'requeue', 'checkpoint' or "
      "'suspend'\n"
      "  help: --recall checkpoint if it saves its work on TERM and exits with 85; --recall "
      "suspend if it may stand still for a while\n");
}

TEST(RequestTest, MalformedArraysPointAtWhatIsWrong) {
  EXPECT_EQ(Bad({"-a", "1-100%0", "-t", "5m", "--", "./a"}),
            "muster: error[usage]: none at once would never end\n"
            "   | -a 1-100%0\n"
            "   |          ^\n"
            "  help: as in 1-100, 1-100:2 (every second), 1-100%20 (20 at once)\n");
}

TEST(RequestTest, PartsAreSplitByAColonAndInheritNothing) {
  const auto request =
      Good({"-n", "x", "-t", "20m", "-l", "2", "--site", "lakes", "--place", "scatter:excl", ":",
            "-l", "1:ngpus=1", "--offset", "5m", "--not-site", "hills", "--", "a"})
          .request;
  ASSERT_EQ(request.parts.size(), 2u);
  EXPECT_EQ(request.parts[0].sites, Strings{"lakes"});
  EXPECT_EQ(request.parts[0].place, schemas::Place::kScatter);
  EXPECT_TRUE(request.parts[0].exclusive);
  EXPECT_EQ(request.parts[1].sites, Strings{});
  EXPECT_EQ(request.parts[1].place, schemas::Place::kFree);
  EXPECT_FALSE(request.parts[1].exclusive);
  EXPECT_EQ(request.parts[1].offset, Span{300});
  EXPECT_EQ(request.parts[0].not_sites, Strings{"hills"});
  EXPECT_EQ(request.parts[1].not_sites, Strings{"hills"});
}

TEST(RequestTest, ScriptCarriesItsOptions) {
  const auto request = Good({"job.sh", "one", "--two"}).request;
  EXPECT_EQ(request.name, "halo");
  EXPECT_EQ(request.duration, Span{1200});
  EXPECT_TRUE(request.apart);
  EXPECT_EQ(request.parts.size(), 3u);
  EXPECT_EQ(request.payload.script, kScript);
  EXPECT_EQ(request.payload.argv, (Strings{"one", "--two"}));
}

TEST(RequestTest, CommandLineStandsOverTheScript) {
  const auto request = Good({"-t", "1h", "-n", "mine", "-l", "1", "job.sh"}).request;
  EXPECT_EQ(request.name, "mine");
  EXPECT_EQ(request.duration, Span{3600});
  EXPECT_EQ(request.parts.size(), 1u) << "parts given here replace the script's wholly";
  EXPECT_TRUE(request.apart);
}

TEST(RequestTest, SiteAloneChangesTheOnlyPartOfAScript) {
  const std::string script = "#!/bin/sh\n#MUSTER -t 1m -l 3:ncpus=2\n";
  const auto request = Good({"--site", "hills", "job.sh"}, script).request;
  EXPECT_EQ(request.parts[0].sites, Strings{"hills"});
  EXPECT_EQ(request.parts[0].chunks[0].count, 3u);
  EXPECT_NE(Bad({"--site", "hills", "job.sh"}).find("the script has 3"), std::string::npos);
}

TEST(RequestTest, PbsSpellingIsAccepted) {
  const auto request =
      Good({"-l", "select=2:ncpus=4", "-l", "place=scatter", "-l", "walltime=00:30:00", "--", "a"})
          .request;
  EXPECT_EQ(request.parts[0].chunks[0].count, 2u);
  EXPECT_EQ(request.parts[0].place, schemas::Place::kScatter);
  EXPECT_EQ(request.duration, Span{1800});
}

// OpenCCS Example 2: what follows the chunks by comma.
TEST(RequestTest, ChunksPlaceAndJobWideResourcesMayStandInOneOption) {
  const auto request =
      Good({"-l", "rset=5:ncpus=16:mem=12g:net=IB+ncpus=1,sw=g03,licence=2,place=scatter:excl",
            "-t", "1h", "--", "a"})
          .request;
  const schemas::PartSpec& part = request.parts.at(0);
  ASSERT_EQ(part.chunks.size(), 2u);
  using Properties = std::map<std::string, std::string>;
  EXPECT_EQ(part.chunks[0].properties, (Properties{{"net", "IB"}, {"sw", "g03"}}));
  EXPECT_EQ(part.chunks[1].properties, (Properties{{"sw", "g03"}}));
  EXPECT_EQ(part.jobwide, (ResourceSet{{"licence", 2}}));
  EXPECT_EQ(part.place, schemas::Place::kScatter);
  EXPECT_TRUE(part.exclusive);
  EXPECT_EQ(Good({"-l", "select=1,walltime=30m", "--", "a"}).request.duration, Span{1800});
  EXPECT_EQ(Bad({"-l", "1:net=a,net=b", "-t", "1h", "--", "a"}),
            "muster: error[usage]: -l: a chunk asks for net=a, and all of them for net=b\n"
            "  help: one of them\n");
}

TEST(RequestTest, WindowsAreRead) {
  const auto request = Good({"-t", "1m", "--from", "now+1h", "--start-by", "23:50", "--deadline",
                             "2026-11-21T09:00Z", "--", "a"})
                           .request;
  EXPECT_EQ(request.from, Around().now + Span{3600});
  EXPECT_EQ(text::ToRfc3339(*request.start_by), "2026-11-20T22:50:00Z");
  EXPECT_EQ(text::ToRfc3339(*request.deadline), "2026-11-21T09:00:00Z");
}

TEST(RequestTest, OptionsOfTheScriptThatAreWrongAreShownThere) {
  EXPECT_EQ(Bad({"job.sh"}, "#!/bin/sh\n\n#MUSTER -l 2:ncpus=4:+1:ngpus=1\n"),
            "muster: error[chunk]: expected resource=amount before '+'\n"
            "  --> job.sh:3:22\n"
            " 3 | #MUSTER -l 2:ncpus=4:+1:ngpus=1\n"
            "   |                      ^\n"
            "  help: as in 2:ncpus=4:mem=2gb+1:ngpus=1; nothing was submitted\n");
  EXPECT_EQ(Bad({"job.sh"}, "#!/bin/sh\n#MUSTER -t 30\n"),
            "muster: error[usage]: -t 30: thirty what?\n"
            "  --> job.sh:2:12\n"
            " 2 | #MUSTER -t 30\n"
            "   |            ^^\n"
            "  help: -t 30m or -t 30s\n");
  EXPECT_EQ(Bad({"job.sh"}, "#!/bin/sh\n#MUSTER --aprt -t 30m\n"),
            "muster: error[usage]: unknown option '--aprt'\n"
            "  --> job.sh:2:9\n"
            " 2 | #MUSTER --aprt -t 30m\n"
            "   |         ^^^^^^\n"
            "  help: did you mean '--apart'?\n");
  EXPECT_NE(Bad({"job.sh"}, "#!/bin/sh\n#MUSTER -t 30m ./a\n").find("'./a' is no option"),
            std::string::npos);
}

TEST(RequestTest, ReservationsSlotsNoticesSwitchesAndRangesArePassedOn) {
  const schemas::RequestSpec spec =
      Good({"-t", "20m", "-l", "2-4:ncpus=4", "--group", "switch", "--in", "R7", "--slot",
            "now+1h-now+2h", "--slot", "2026-11-22T09:00-2026-11-22T17:00", "--notice", "5m:USR2",
            "--", "a"})
          .request;
  EXPECT_EQ(spec.inside, RequestId{7});
  EXPECT_EQ(spec.slots.intervals().size(), 2u);
  EXPECT_EQ(spec.slots.intervals()[0].end - spec.slots.intervals()[0].begin, Span{3600});
  ASSERT_TRUE(spec.notice.has_value());
  EXPECT_EQ(spec.notice->before, Span{300});
  EXPECT_EQ(spec.notice->signal, "USR2");
  EXPECT_EQ(spec.parts[0].set, "switch");
  const schemas::Chunk& chunk = spec.parts[0].chunks[0];
  EXPECT_EQ(std::tuple(chunk.count, chunk.least, chunk.most), std::tuple(2u, 2u, 4u));
  EXPECT_EQ(Good({"-t", "20m", "--notice", "5m:./save now", "--", "a"}).request.notice->argv,
            (Strings{"/bin/sh", "-c", "./save now"}));
}

TEST(RequestTest, DurationsThatOthersReadDifferentlyAreRefused) {
  EXPECT_EQ(Bad({"-t", "30", "--", "./a"}, "", Asked::kAsk),
            "muster: error[usage]: -t 30: thirty what?\n"
            "  help: -t 30m or -t 30s\n");
}

TEST(RequestTest, ChunksOfTheCommandLineAreShownWithTheirOption) {
  EXPECT_EQ(Bad({"-l", "2:ncpus=4:+1", "-t", "1m", "--", "a"}),
            "muster: error[chunk]: expected resource=amount before '+'\n"
            "   | -l 2:ncpus=4:+1\n"
            "   |              ^\n"
            "  help: as in 2:ncpus=4:mem=2gb+1:ngpus=1; nothing was submitted\n");
}

TEST(RequestTest, RefusesWhatCannotBeMeant) {
  const std::map<std::string, Strings> cases = {
      {"nothing to run", {"-t", "1m"}},
      {"no command follows '--'", {"-t", "1m", "--"}},
      {"cannot read nope.sh", {"-t", "1m", "nope.sh"}},
      {"in the past", {"-t", "1m", "--at", "2026-11-20T09:00", "--", "a"}},
      {"-l is given twice in one part", {"-t", "1m", "-l", "1", "-l", "2", "--", "a"}},
      {"differently", {"-t", "1m", ":", "-t", "2m", "--", "a"}},
      {"'lakes' is in --site and in --not-site",
       {"-t", "1m", "--site", "lakes", "--not-site", "lakes", "--", "a"}},
      {"--at leaves no room", {"-t", "1m", "--at", "now+1h", "--from", "now+2h", "--", "a"}},
      {"unknown placement 'packed'", {"-t", "1m", "--place", "packed", "--", "a"}},
      {"not in this version", {"-t", "1m", "--input", "g1", "--", "a"}},
      {"that is no reservation", {"-t", "1m", "--in", "7", "--", "a"}},
      {"expected two times", {"-t", "1m", "--slot", "22:00", "--", "a"}},
      {"expected two times", {"-t", "1m", "--slot", "now+2h-now+1h", "--", "a"}},
      {"--notice", {"-t", "10m", "--notice", "5", "--", "a"}},
      {"known there only", {"-t", "1m", "--after", "lakes/17", "--", "a"}},
      {"parts of a job end together", {"-t", "1m", "--after", "41.2", "--", "a"}},
      {"nothing runs in no time", {"-t", "0s", "--", "a"}},
      {"-l walltime= differ", {"-t", "1m", "-l", "walltime=1h", "--", "a"}}};
  for (const auto& [why, words] : cases) {
    const std::string text = Bad(words);
    EXPECT_NE(text.find(why), std::string::npos) << text;
  }
  EXPECT_NE(Bad({"-t", "1m", "job.sh"}, std::string("\x7f"
                                                    "ELF\0\0",
                                                    6))
                .find("is a program, not a script"),
            std::string::npos);
  EXPECT_NE(Bad({"-t", "1m", "job.sh"}, std::string((1 << 20) + 1, 'x')).find("at most 1mb"),
            std::string::npos);
}

TEST(RequestTest, AskNeedsNoCommand) {
  const auto read = ReadSubmission(Asked::kAsk, {"-l", "2:ncpus=4", "-t", "20m"}, Around());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(ChunksOption(read.value().request.parts[0].chunks), "2:ncpus=4");
}

TEST(FailureTest, WhatChangedFollowsTheHelpOrStandsBelowIt) {
  EXPECT_EQ(RenderFailure(Fail("conflict", "this would move 2 promises, by up to 16m",
                               "see 'muster whatif drain lakes/n1'; go ahead with --yes",
                               "nothing was changed")),
            "muster: error[conflict]: this would move 2 promises, by up to 16m\n"
            "  help: see 'muster whatif drain lakes/n1'; go ahead with --yes\n"
            "        nothing was changed\n");
  Failure never = Fail("never", "no site can ever run 2 × (64 cpus)",
                       "the largest here is -l 2:ncpus=4", "nothing was submitted");
  never.diagnostic.notes = {"lakes, woods, hills: no node has more than 4 cpus"};
  EXPECT_EQ(RenderFailure(never),
            "muster: error[never]: no site can ever run 2 × (64 cpus)\n"
            "  lakes, woods, hills: no node has more than 4 cpus\n"
            "  help: the largest here is -l 2:ncpus=4; nothing was submitted\n");
  EXPECT_EQ(RenderFailure(Fail("denied", "job 36 belongs to ana; you are kim, role user")),
            "muster: error[denied]: job 36 belongs to ana; you are kim, role user\n");
}

}  // namespace
}  // namespace muster::cli
