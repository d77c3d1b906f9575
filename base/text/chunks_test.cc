// The chunk notation: what it means, that printing it loses nothing, and what its refusals point
// at.
#include "base/text/chunks.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace muster::text {
namespace {

constexpr int64_t kGb = int64_t{1} << 30;

std::vector<ChunkText> Parsed(std::string_view text) {
  auto chunks = ParseChunks(text);
  EXPECT_TRUE(chunks.ok()) << text;
  return chunks.ok() ? chunks.value() : std::vector<ChunkText>{};
}

// "COLUMN+LENGTH message" of the refusal.
std::string Refusal(std::string_view text) {
  const auto chunks = ParseChunks(text);
  if (chunks.ok()) return "accepted";
  const Diagnostic& wrong = chunks.diagnostic();
  EXPECT_EQ(wrong.code, "chunk");
  EXPECT_FALSE(wrong.help.empty());
  return std::to_string(wrong.where->column) + "+" + std::to_string(wrong.where->length) + " " +
         wrong.message;
}

TEST(ChunksTest, ReadsCountsSizesAndSeveralChunks) {
  EXPECT_EQ(Parsed("2:ncpus=4:mem=2gb+1:ngpus=1"),
            (std::vector<ChunkText>{{2, {{"ncpus", 4}, {"mem", 2 * kGb}}, {}},
                                    {1, {{"ncpus", 1}, {"ngpus", 1}}, {}}}));
}

TEST(ChunksTest, BareCountIsThatManySetsOfOneProcessor) {
  EXPECT_EQ(Parsed("1"), (std::vector<ChunkText>{{1, {{"ncpus", 1}}, {}}}));
  EXPECT_EQ(Parsed("3"), (std::vector<ChunkText>{{3, {{"ncpus", 1}}, {}}}));
}

TEST(ChunksTest, CountMayBeMissing) { EXPECT_EQ(Parsed("ncpus=4"), Parsed("1:ncpus=4")); }

TEST(ChunksTest, PbsSpellingIsTheSame) {
  EXPECT_EQ(Parsed("select=2:ncpus=4"), Parsed("2:ncpus=4"));
}

TEST(ChunksTest, ValuesThatAreNoAmountsAreProperties) {
  EXPECT_EQ(Parsed("1:arch=x86_64:net=10gbit:licence_matlab=2:disk=1gb"),
            (std::vector<ChunkText>{{1,
                                     {{"ncpus", 1}, {"licence_matlab", 2}, {"disk", kGb}},
                                     {{"arch", "x86_64"}, {"net", "10gbit"}}}}));
}

PartText ParsedPart(std::string_view text) {
  const auto part = ParsePart(text);
  EXPECT_TRUE(part.ok()) << text << "\n" << (part.ok() ? "" : Render(part.diagnostic()));
  return part.ok() ? *part : PartText{};
}

std::string PartRefusal(std::string_view text) {
  const auto part = ParsePart(text);
  if (part.ok()) return "accepted";
  const Diagnostic& wrong = part.diagnostic();
  return std::to_string(wrong.where->column) + "+" + std::to_string(wrong.where->length) + " " +
         wrong.message;
}

// OpenCCS Example 2.
TEST(PartTest, ReadsTheRequestsOfThePaper) {
  EXPECT_EQ(ParsedPart("rset=8:ncpus=2:mem=10g:rack=8"),
            (PartText{.chunks = {{8, {{"ncpus", 2}, {"mem", 10 * kGb}, {"rack", 8}}, {}}}}));
  EXPECT_EQ(ParsedPart("rset=ncpus=27:vmem=20g:arch=linux+4:acc=fpga"),
            (PartText{.chunks = {{1, {{"ncpus", 27}, {"vmem", 20 * kGb}}, {{"arch", "linux"}}},
                                 {4, {{"ncpus", 1}}, {{"acc", "fpga"}}}}}));
  EXPECT_EQ(ParsedPart("rset=5:ncpus=16:mem=12g:net=IB+ncpus=1:mem=4g,sw=g03,place=scatter:excl"),
            (PartText{.chunks = {{5, {{"ncpus", 16}, {"mem", 12 * kGb}}, {{"net", "IB"}}},
                                 {1, {{"ncpus", 1}, {"mem", 4 * kGb}}, {}}},
                      .properties = {{"sw", "g03"}},
                      .place = PartText::Place::kScatter,
                      .exclusive = true}));
}

TEST(PartTest, WhatFollowsTheChunksIsOfTheWhole) {
  EXPECT_EQ(ParsedPart("select=2:ncpus=4,licence_matlab=3,scratch=1tb,walltime=01:30:00"),
            (PartText{.chunks = {{2, {{"ncpus", 4}}, {}}},
                      .jobwide = {{"licence_matlab", 3}, {"scratch", 1024 * kGb}},
                      .walltime = Span{5400}}));
  EXPECT_EQ(ParsedPart("1,place=pack").place, PartText::Place::kPack);
  EXPECT_EQ(ParsedPart("1,place=shared").exclusive, false);
  EXPECT_EQ(ParsedPart("1,place=excl:free").place, PartText::Place::kFree);
}

TEST(PartTest, RefusalPointsAtWhatIsWrong) {
  EXPECT_EQ(PartRefusal("1,"), "3+1 expected resource=amount at the end");
  EXPECT_EQ(PartRefusal("1,,a=1"), "3+1 expected resource=amount before ','");
  EXPECT_EQ(PartRefusal("1:a=1,:"), "7+1 expected resource=amount before ':'");
  EXPECT_EQ(PartRefusal("1 +1"), "2+1 expected ':', '+' or ',' before ' '");
  EXPECT_EQ(PartRefusal("1,licence"), "3+7 expected '=' and an amount after 'licence'");
  EXPECT_EQ(PartRefusal("1,licence=0"), "11+1 licence=0: at least one, or leave it out");
  EXPECT_EQ(PartRefusal("1,licence=-1"), "11+2 licence=-1: an amount is not negative");
  EXPECT_EQ(PartRefusal("1,licence=2:ncpus=4"), "12+1 expected ',' before ':'");
  EXPECT_EQ(PartRefusal("1,sw=a,sw=b"), "8+2 'sw' is given twice");
  EXPECT_EQ(PartRefusal("1,ncpus=4"), "3+5 'ncpus' is of chunks, not of the job as a whole");
  EXPECT_EQ(PartRefusal("1,place=scater"),
            "9+6 unknown placement 'scater'; it is free, pack or scatter, and excl or shared");
  EXPECT_EQ(PartRefusal("1,place=pack:free"), "14+4 a second word of the same kind: 'free'");
  EXPECT_EQ(PartRefusal("1,place=excl:shared"), "14+6 a second word of the same kind: 'shared'");
  EXPECT_EQ(PartRefusal("1,walltime=30"), "12+2 thirty what?");
  EXPECT_EQ(PartRefusal("1,walltime=0s"), "12+2 a job lasts longer than nothing");
  EXPECT_EQ(PartRefusal("rset="), "6+1 no chunks are given");
}

TEST(PartTest, ParsingThePrintedTextGivesTheSamePart) {
  for (const char* text :
       {"2:ncpus=4", "1:ncpus=1,licence=2,sw=g03,place=scatter:excl,walltime=1h30m",
        "1:ncpus=1,place=shared", "1:ncpus=1:mem=2gb+3:ncpus=2:arch=linux,place=pack"}) {
    EXPECT_EQ(PartToText(ParsedPart(text)), text);
  }
}

TEST(ChunksTest, RefusalPointsAtWhatIsMissing) {
  EXPECT_EQ(Refusal("2:ncpus=4:+1:ngpus=1"), "11+1 expected resource=amount before '+'");
  EXPECT_EQ(Refusal("2:ncpus=4:"), "11+1 expected resource=amount at the end");
  EXPECT_EQ(Refusal("2::ncpus=4"), "3+1 expected resource=amount before ':'");
  EXPECT_EQ(Refusal("2:ncpus"), "3+5 expected '=' and an amount after 'ncpus'");
  EXPECT_EQ(Refusal("2:ncpus="), "9+1 expected an amount of ncpus at the end");
  EXPECT_EQ(Refusal("+1"), "1+1 expected a chunk before '+'");
  EXPECT_EQ(Refusal("1+"), "3+1 expected a chunk at the end");
  EXPECT_EQ(Refusal(""), "1+1 no chunks are given");
  EXPECT_EQ(Refusal("select="), "8+1 no chunks are given");
  EXPECT_EQ(Refusal("2 ncpus=4"), "2+1 expected ':' or '+' before ' '");
  EXPECT_EQ(Refusal(":ncpus=4"), "1+1 expected resource=amount before ':'");
}

TEST(ChunksTest, RefusalNamesTheValue) {
  EXPECT_EQ(Refusal("1:ncpus=four"), "9+4 ncpus=four: expected a whole number");
  EXPECT_EQ(Refusal("1:ncpus=0"), "9+1 ncpus=0: at least one is needed");
  EXPECT_EQ(Refusal("1:ncpus=-2"), "9+2 ncpus=-2: an amount is not negative");
  EXPECT_EQ(Refusal("1:mem=2"), "7+1 mem=2: 2 what? give a unit, as in mem=2gb");
  EXPECT_EQ(Refusal("0:ncpus=1"), "1+1 a chunk is taken 1 to 100000 times, not 0");
  EXPECT_EQ(Refusal("99999999999999999999999"),
            "1+23 a chunk is taken 1 to 100000 times, not 99999999999999999999999");
  EXPECT_EQ(Refusal("1:ncpus=99999999999999999999999"),
            "9+23 ncpus=99999999999999999999999 is too large");
  EXPECT_EQ(Refusal("1:mem=9000tb"), "7+6 mem=9000tb is too large");
  EXPECT_EQ(Refusal("1:ncpus=1:ncpus=2"), "11+5 'ncpus' is given twice in this chunk");
  EXPECT_EQ(Refusal("1:arch=a:arch=b"), "10+4 'arch' is given twice in this chunk");
}

TEST(ChunksTest, RefusesMoreChunksThanAPartMayHave) {
  std::string text = "1";
  for (size_t i = 1; i < kMostChunks; ++i) text += "+1";
  EXPECT_TRUE(ParseChunks(text).ok());
  EXPECT_FALSE(ParseChunks(text + "+1").ok());
}

TEST(ChunksTest, ParsingThePrintedTextGivesTheSameChunks) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<ChunkText> chunks(1 + random.Below(4));
    for (ChunkText& chunk : chunks) {
      chunk.count = static_cast<uint32_t>(random.Between(1, kMostSets));
      chunk.resources.Set("ncpus", random.Between(1, 1000));
      if (random.Chance(500)) chunk.resources.Set("mem", random.Between(1, 1000000000000000));
      if (random.Chance(300))
        chunk.resources.Set("mem", random.Between(1, 1024) << (10 * random.Below(4)));
      if (random.Chance(300)) chunk.resources.Set("ngpus", random.Between(1, 16));
      if (random.Chance(200)) chunk.resources.Set("licence-x.y", random.Between(1, 1LL << 53));
      if (random.Chance(300)) chunk.properties["arch"] = random.Chance(500) ? "x86_64" : "9.1-b";
    }
    const std::string text = ChunksText(chunks);
    EXPECT_EQ(Parsed(text), chunks) << text;
  }
}

TEST(ChunksTest, AnyBytesAreParsedOrRefusedWithinTheText) {
  constexpr std::string_view kAlphabet = "12:+=,ncpusmemgb- \t\xc3\xa9x";
  Random random(11);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (uint64_t n = random.Below(14); n > 0; --n)
      text += kAlphabet[random.Below(kAlphabet.size())];
    const auto chunks = ParseChunks(text);
    if (chunks.ok()) {
      EXPECT_EQ(Parsed(ChunksText(chunks.value())), chunks.value()) << text;
    } else {
      EXPECT_GE(chunks.diagnostic().where->column, 1u);
      EXPECT_LE(chunks.diagnostic().where->column, text.size() + 1) << text;
    }
    const auto part = ParsePart(text);
    if (part.ok()) {
      EXPECT_EQ(ParsedPart(PartToText(*part)), *part) << text;
    } else {
      EXPECT_GE(part.diagnostic().where->column, 1u);
      EXPECT_LE(part.diagnostic().where->column, text.size() + 1) << text;
    }
  }
}

}  // namespace
}  // namespace muster::text
