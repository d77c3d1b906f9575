// Node sets as text: what is read, what is refused, and that printing is the inverse.
#include "base/text/node_set.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace muster::text {
namespace {

using Choice = NodeSet::Choice;

NodeSet SetOf(std::string_view text) {
  const Diagnosed<NodeSet> set = ParseNodeSet(text);
  EXPECT_TRUE(set.ok()) << text << ": " << (set.ok() ? "" : Render(set.diagnostic()));
  return set.ok() ? *set : NodeSet{};
}

// The column and length of the fault, and what is said.
std::string SetRefusal(std::string_view text) {
  const Diagnosed<NodeSet> set = ParseNodeSet(text);
  if (set.ok()) return "read";
  const Diagnostic& wrong = set.diagnostic();
  EXPECT_EQ(wrong.code, "usage");
  return std::to_string(wrong.where->column) + "+" + std::to_string(wrong.where->length) + " " +
         wrong.message + "; " + wrong.help.front();
}

TEST(NodeSets, NameAnAttributeAndHowToChoose) {
  EXPECT_EQ(SetOf("speed:oneof"), (NodeSet{.attribute = "speed"}));
  EXPECT_EQ(SetOf("arch=ppc,x86:anyof"),
            (NodeSet{.attribute = "arch", .values = {"ppc", "x86"}, .choice = Choice::kAnyOf}));
  EXPECT_EQ(SetOf("mhz=450,550~10%:firstof:best:wait=15m"),
            (NodeSet{.attribute = "mhz",
                     .values = {"450", "550"},
                     .tolerance = Tolerance{true, 10},
                     .choice = Choice::kFirstOf,
                     .best = true,
                     .wait = {900}}));
  EXPECT_EQ(SetOf("mhz~50:oneof").tolerance, (Tolerance{false, 50}));
}

TEST(NodeSets, AreBelowOneSwitchByThatWordAlone) {
  EXPECT_TRUE(SetOf("switch").IsOneSwitch());
  EXPECT_EQ(SetOf("switch"), SetOf("switch:oneof"));
  EXPECT_FALSE(SetOf("switch:oneof:best").IsOneSwitch());
  EXPECT_EQ(NodeSetText(SetOf("switch:oneof")), "switch");
}

TEST(NodeSets, HaveSpeedsInPerCent) {
  EXPECT_EQ(SetOf("speed=80,62.5%:firstof").values, (std::vector<std::string>{"80%", "62.5%"}));
  EXPECT_EQ(ParseSpeed("62.5%"), 625);
  EXPECT_EQ(ParseSpeed("1000%"), 10'000);
  EXPECT_EQ(ParseSpeed("1001%"), std::nullopt);
  EXPECT_EQ(ParseSpeed("0%"), std::nullopt);
  EXPECT_EQ(ParseSpeed("fast"), std::nullopt);
  EXPECT_EQ(SpeedText(800), "80%");
  EXPECT_EQ(SpeedText(625), "62.5%");
}

TEST(NodeSets, ArePrintedAsTheyAreRead) {
  for (const char* text :
       {"switch", "speed:oneof", "speed~10%:oneof", "mhz~50:oneof:best", "arch=ppc,x86:anyof",
        "speed=80%,100%:firstof:wait=15m", "rack=8,9:oneof:best:wait=1h30m", "rack:anyof"}) {
    EXPECT_EQ(NodeSetText(SetOf(text)), text);
  }
}

TEST(NodeSets, AreRefusedWithTheirPlaceAndWhatWouldBeRight) {
  EXPECT_EQ(SetRefusal("speed~10%"),
            "1+9 how to choose nodes by 'speed' is missing; speed~10%:oneof; also oneof, anyof or "
            "firstof");
  EXPECT_EQ(SetRefusal("speed:someof"),
            "7+6 'someof' is no way to choose nodes; oneof, anyof or firstof");
  EXPECT_EQ(SetRefusal("speed=fast:anyof"),
            "7+4 'fast' is no speed of a node; per cent of the reference, 1% to 1000%, as in 80%");
  EXPECT_EQ(SetRefusal("arch=ppc~10%:oneof"),
            "10+3 a tolerance needs numbers, and 'ppc' is a word; the values without '~10%'");
  EXPECT_EQ(SetRefusal("switch~2:oneof"),
            "8+1 a tolerance needs numbers, and switches are none; switch:oneof, or a tolerance "
            "for 'speed' or a property of numbers");
  EXPECT_EQ(SetRefusal("speed~0%:oneof"),
            "7+2 '~0%' is no tolerance; per cent of the least value, as in ~10%, or a number, as "
            "in ~50");
  EXPECT_EQ(SetRefusal("speed:firstof"),
            "7+7 'firstof' needs values, in the order in which they are wanted; "
            "speed=V1,V2:firstof; or oneof, whichever is best");
  EXPECT_EQ(SetRefusal("rack=1,2:anyof:best"),
            "16+4 'best' is for oneof and firstof: anyof mixes groups already; anyof alone, or "
            "oneof:best");
  EXPECT_EQ(SetRefusal("speed:oneof:wait=15m"),
            "13+8 'wait' is for best and firstof: nothing else is there to wait for; "
            "oneof:best:wait=15m, or no wait");
  EXPECT_EQ(SetRefusal("speed:oneof:best:wait=15"),
            "18+7 '15' is no time to wait; " + DurationHelp("15"));
  EXPECT_EQ(SetRefusal("speed:anyof"),
            "7+5 'anyof' without values leaves every node; speed=V1,V2:anyof; or oneof");
  EXPECT_EQ(SetRefusal("rack=1,1:oneof"), "8+1 '1' is named twice; each value once");
  EXPECT_EQ(SetRefusal("rack=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17:oneof"),
            "6+41 a set of 17 values; at most 16");
  EXPECT_EQ(SetRefusal("speed:oneof:fast"),
            "13+4 'fast' says nothing here; after the choice: best, wait=DURATION or both");
  EXPECT_EQ(SetRefusal("=1:oneof").substr(0, 35), "1+1 '' names no attribute of nodes;");
}

TEST(Speeds, MakeDurationsLongerRoundedUp) {
  EXPECT_EQ(AtSpeed(Span{100}, kFullSpeed), Span{100});
  EXPECT_EQ(AtSpeed(Span{100}, 800), Span{125});
  EXPECT_EQ(AtSpeed(Span{100}, 1200), Span{84});
  EXPECT_EQ(AtSpeed(Span{1}, 10'000), Span{1});
}

}  // namespace
}  // namespace muster::text
