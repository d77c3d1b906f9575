// Conditions: what they mean, that printing loses nothing, and what refusals point at.
#include "base/text/condition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace muster::text::condition_test {
namespace {

using Operator = Comparison::Operator;
using Subject = Comparison::Subject;

constexpr int64_t kGb = int64_t{1} << 30;

ConditionNames Names() {
  return {.resources = {"ncpus", "mem", "vmem", "ngpus"}, .properties = {"arch", "net"}};
}

Condition Parsed(std::string_view text) {
  const auto condition = ParseCondition(text, Names());
  EXPECT_TRUE(condition.ok()) << text << "\n" << Render(condition.diagnostic());
  return condition.ok() ? *condition : Condition();
}

// "COLUMN+LENGTH message; help" of the refusal.
std::string Refusal(std::string_view text) {
  const auto condition = ParseCondition(text, Names());
  if (condition.ok()) return "accepted";
  const Diagnostic& wrong = condition.diagnostic();
  EXPECT_EQ(wrong.code, "condition");
  EXPECT_EQ(wrong.where->source_line, text);
  return std::to_string(wrong.where->column) + "+" + std::to_string(wrong.where->length) + " " +
         wrong.message + "; " + wrong.help[0];
}

struct Case {
  std::string user = "alice";
  std::vector<std::string> groups = {"g2", "staff"};
  Span duration{3600};
  ResourceSet amounts = {{"ncpus", 4}, {"mem", 80 * kGb}};
  std::map<std::string, std::string> properties = {{"arch", "linux"}};
  std::string account = "chem";
  std::string qos;  // none
  std::string queue = "debug";
  bool interactive = true;
};

bool HoldsIn(std::string_view text, const Case& facts = {}) {
  return Holds(Parsed(text),
               {facts.user, facts.groups, facts.duration, facts.amounts, facts.properties,
                facts.account, facts.qos, facts.queue, facts.interactive});
}

TEST(ConditionTest, CredentialsAndTheClassCompareByText) {
  EXPECT_TRUE(HoldsIn("account = chem and queue in (debug, quick)"));
  EXPECT_FALSE(HoldsIn("account = bio or qos = urgent"));
  EXPECT_TRUE(HoldsIn("qos != urgent")) << "it has none";
  EXPECT_TRUE(HoldsIn("class = interactive"));
  EXPECT_TRUE(HoldsIn("class in (interactive, batch) and not class = batch"));
  EXPECT_FALSE(HoldsIn("class = interactive", {.interactive = false}));
  EXPECT_EQ(ConditionText(Parsed("class=batch and account != chem and qos in (a, b)")),
            "class = batch and account != chem and qos in (a, b)");
  EXPECT_EQ(Refusal("class = night"),
            "9+5 there is no class 'night'; class = interactive or class = batch");
  EXPECT_EQ(Refusal("account < chem"),
            "9+1 'account' has no order; it compares by =, != and in; as in account = a or account "
            "in (a, b)");
}

TEST(ConditionTest, AmountsAndDurationsCompareByNumber) {
  EXPECT_TRUE(HoldsIn("ncpus < 5"));
  EXPECT_FALSE(HoldsIn("ncpus < 4"));
  EXPECT_TRUE(HoldsIn("ncpus <= 4"));
  EXPECT_TRUE(HoldsIn("mem >= 80gb"));
  EXPECT_FALSE(HoldsIn("mem > 80gb"));
  EXPECT_TRUE(HoldsIn("mem = 80gb and mem == 81920mb"));
  EXPECT_TRUE(HoldsIn("ncpus != 5"));
  EXPECT_TRUE(HoldsIn("duration <= 1h and duration >= 01:00:00"));
  EXPECT_FALSE(HoldsIn("duration < 1h"));
  EXPECT_TRUE(HoldsIn("ncpus in (2, 4, 8)"));
}

TEST(ConditionTest, AResourceThatIsNotAskedForCountsAsNone) {
  EXPECT_TRUE(HoldsIn("ngpus = 0"));
  EXPECT_FALSE(HoldsIn("ngpus >= 1"));
}

TEST(ConditionTest, UsersGroupsAndPropertiesCompareByName) {
  EXPECT_TRUE(HoldsIn("user = alice"));
  EXPECT_TRUE(HoldsIn("user in (bob, alice)"));
  EXPECT_FALSE(HoldsIn("user not in (bob, alice)"));
  EXPECT_TRUE(HoldsIn("group in (g1, g2)"));
  EXPECT_TRUE(HoldsIn("group = staff"));
  EXPECT_FALSE(HoldsIn("group != staff"));
  EXPECT_TRUE(HoldsIn("group != g1"));
  EXPECT_TRUE(HoldsIn("arch = linux"));
  EXPECT_FALSE(HoldsIn("net = ib"));
  EXPECT_TRUE(HoldsIn("net != ib"));
  EXPECT_FALSE(HoldsIn("user = 'a b'"));
}

TEST(ConditionTest, AndBindsCloserThanOrAndNotClosest) {
  EXPECT_TRUE(HoldsIn("user = alice or user = bob and ncpus > 100"));
  EXPECT_FALSE(HoldsIn("(user = alice or user = bob) and ncpus > 100"));
  EXPECT_TRUE(HoldsIn("not user = bob and ncpus = 4"));
  EXPECT_FALSE(HoldsIn("not (user = bob or ncpus = 4)"));
  EXPECT_TRUE(HoldsIn("not not ncpus = 4"));
}

// OpenCCS Sect. 3 (FreePools) and Sect. 5.4 (node-specific limits).
TEST(ConditionTest, SaysWhatThePaperSays) {
  const std::string_view smp = "vmem >= 80gb or mem >= 66gb or ncpus >= 17 or duration <= 12h";
  Case cheap_and_long{.duration = Span{13 * 3600}, .amounts = {{"ncpus", 16}, {"mem", kGb}}};
  EXPECT_FALSE(HoldsIn(smp, cheap_and_long));
  cheap_and_long.amounts.Set("ncpus", 17);
  EXPECT_TRUE(HoldsIn(smp, cheap_and_long));
  const std::string_view quick = "ncpus < 4 and duration < 1h";
  EXPECT_FALSE(HoldsIn(quick));
  EXPECT_TRUE(HoldsIn(quick, {.duration = Span{3599}, .amounts = {{"ncpus", 3}}}));
  const std::string_view gpus = "group in (G1, G2) or user = alice or duration <= 2h";
  EXPECT_TRUE(HoldsIn(gpus, {.user = "bob", .groups = {"G2"}, .duration = Span{86400}}));
  EXPECT_TRUE(HoldsIn(gpus, {.user = "bob", .groups = {}, .duration = Span{7200}}));
  EXPECT_FALSE(HoldsIn(gpus, {.user = "bob", .groups = {}, .duration = Span{7201}}));
}

TEST(ConditionTest, TheEmptyOneAlwaysHolds) {
  EXPECT_TRUE(Holds(Condition(), {"", {}, Span{}, ResourceSet(), {}}));
  EXPECT_EQ(ConditionText(Condition()), "");
}

TEST(ConditionTest, IsPrintedWithAsFewBracketsAsMeanTheSame) {
  for (const char* text :
       {"ncpus < 4", "mem >= 80gb", "duration <= 12h", "user = alice", "group in (g1, g2)",
        "not user in (alice, bob)", "ncpus < 4 and duration < 1h and user = bob",
        "(user = a or user = b) and ncpus > 1", "ncpus > 1 and (user = a or user = b)",
        "user = a and (user = b and user = c)", "user = a or (user = b or user = c)",
        "not (user = a and user = b) or arch = 'a b'", "user = \"it's\"", "ncpus <= 2048",
        "user in ('and', 'or')"}) {
    EXPECT_EQ(ConditionText(Parsed(text)), text);
  }
  EXPECT_EQ(ConditionText(Parsed("((ncpus<4))or(not((user==a)))")), "ncpus < 4 or not user = a");
}

TEST(ConditionTest, RefusalSaysWhatWasExpectedWhere) {
  const std::string example = "; as in ncpus < 4 and (duration <= 12h or group in (g1, g2))";
  EXPECT_EQ(Refusal(""), "1+1 a condition is missing" + example);
  EXPECT_EQ(Refusal("ncpus <"), "8+1 expected an amount, not the end" + example);
  EXPECT_EQ(Refusal("ncpus 4"),
            "7+1 expected <, <=, >, >=, =, != or in after 'ncpus', not '4'" + example);
  EXPECT_EQ(Refusal("ncpus < 4 duration < 1h"),
            "11+8 expected 'and', 'or' or the end, not 'duration'" + example);
  EXPECT_EQ(Refusal("(ncpus < 4"), "1+1 this '(' is never closed" + example);
  EXPECT_EQ(Refusal("ncpus < 4)"), "10+1 this ')' closes nothing" + example);
  EXPECT_EQ(Refusal("and ncpus < 4"), "1+3 expected what is to be compared, not 'and'" + example);
  EXPECT_EQ(Refusal("ncpus < 4 and"),
            "14+1 expected what is to be compared, not the end" + example);
  EXPECT_EQ(Refusal("ncpus & 4"), "7+1 unexpected '&'" + example);
  EXPECT_EQ(Refusal("user = 'al"), "8+1 this ' is never closed" + example);
  EXPECT_EQ(Refusal("group in g1"),
            "10+2 expected '(' after 'in', not 'g1'; as in group in (a, b)");
  EXPECT_EQ(Refusal("group in (g1 g2)"), "14+2 expected ',' or ')', not 'g2'" + example);
  EXPECT_EQ(Refusal("group in ()"), "11+1 expected a name, not ')'" + example);
  EXPECT_EQ(Refusal("user < bob"),
            "6+1 'user' has no order; it compares by =, != and in; "
            "as in user = a or user in (a, b)");
  EXPECT_EQ(Refusal("duration < 30"), "12+2 duration: thirty what?; 30m or 30s");
  EXPECT_EQ(Refusal("mem >= 80xb"),
            "8+4 mem: unknown unit 'xb'; sizes end in b, kb, mb, gb or tb; "
            "as in ncpus < 4 or mem >= 80gb");
  EXPECT_EQ(Refusal("ncpus > -1"),
            "9+2 ncpus: a size is not negative; as in ncpus < 4 or mem >= 80gb");
}

TEST(ConditionTest, AnUnknownNameIsToldWithThoseThatAreDeclared) {
  const auto refused = ParseCondition("ngpu >= 1", Names());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(Render(refused.diagnostic()),
            "muster: error[condition]: unknown name 'ngpu'\n"
            "   | ngpu >= 1\n"
            "   | ^^^^ did you mean 'ngpus'?\n"
            "  help: declared: user, group, account, qos, queue, class, duration, ncpus, mem, "
            "vmem, ngpus, arch, net\n");
}

TEST(ConditionTest, NestingAndComparisonsAreLimited) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '(') + "ncpus > 1" + std::string(depth, ')');
  };
  EXPECT_EQ(Parsed(nested(Condition::kDeepest)), Parsed("ncpus > 1"));
  EXPECT_EQ(Refusal(nested(Condition::kDeepest + 1)),
            "21+1 brackets and 'not' stand inside each other at most 20 times; "
            "say it with fewer brackets");
  // The worst that nesting can leave pending is still worked out.
  std::string worst = "ncpus = 4";
  for (size_t i = 0; i < Condition::kDeepest; ++i) {
    worst = "ncpus = 5 or ncpus = 4 and (" + worst + ")";
  }
  EXPECT_TRUE(HoldsIn(worst));
  std::string many = "ncpus = 1";
  for (size_t i = 1; i < Condition::kMostComparisons; ++i) many += " or ncpus = 1";
  EXPECT_EQ(Parsed(many).comparisons(), Condition::kMostComparisons);
  EXPECT_NE(Refusal(many + " or ncpus = 1"), "accepted");
}

// Any number in [low, high), whatever the size of the case.
template <class T>
rc::Gen<T> Between(T low, T high) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high));
}

rc::Gen<std::string> AnyName() {
  return rc::gen::elementOf(std::vector<std::string>{"alice", "g-1.x", "a b", "it's", "and", "7",
                                                     "say \"so\"", "1-12:00:00"});
}

rc::Gen<Condition> AnyComparison() {
  return rc::gen::exec([] {
    Comparison comparison;
    comparison.subject = *rc::gen::element(Subject::kUser, Subject::kGroup, Subject::kDuration,
                                           Subject::kAmount, Subject::kProperty);
    const bool numbers =
        comparison.subject == Subject::kDuration || comparison.subject == Subject::kAmount;
    if (comparison.subject == Subject::kAmount) {
      comparison.name = *rc::gen::elementOf(Names().resources);
    }
    if (comparison.subject == Subject::kProperty) {
      comparison.name = *rc::gen::elementOf(Names().properties);
    }
    const auto low = static_cast<int>(numbers ? Operator::kLess : Operator::kEqual);
    comparison.op = static_cast<Operator>(*Between(low, static_cast<int>(Operator::kIn) + 1));
    const auto values = comparison.op == Operator::kIn ? *Between<size_t>(1, 4) : size_t{1};
    for (size_t i = 0; i < values; ++i) {
      if (numbers) {
        const int shift = *rc::gen::element(0, 10, 20);
        comparison.numbers.push_back(*Between<int64_t>(0, 3000) << shift);
      } else {
        comparison.texts.push_back(*AnyName());
      }
    }
    return Condition(std::move(comparison));
  });
}

rc::Gen<Condition> AnyCondition(int depth) {
  if (depth == 0) return AnyComparison();
  return rc::gen::exec([depth] {
    const int kind = *Between(0, 4);
    if (kind == 0) return *AnyComparison();
    if (kind == 1) return Condition::Not(*AnyCondition(depth - 1));
    const Condition left = *AnyCondition(depth - 1);
    const Condition right = *AnyCondition(depth - 1);
    return kind == 2 ? Condition::And(left, right) : Condition::Or(left, right);
  });
}

RC_GTEST_PROP(ConditionProperty, ParsingThePrintedTextGivesTheSameCondition, ()) {
  const Condition condition = *AnyCondition(5);
  const std::string text = ConditionText(condition);
  const auto read = ParseCondition(text, Names());
  RC_LOG() << text;
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == condition);
}

// The same answer as the definition of and, or and not gives, followed by recursion.
bool HoldsByRecursion(std::span<const Condition::Step> steps, size_t& end, const Facts& facts) {
  const Condition::Step& step = steps[--end];
  if (step.kind == Condition::Kind::kComparison) return Holds(step.comparison, facts);
  const bool last = HoldsByRecursion(steps, end, facts);
  if (step.kind == Condition::Kind::kNot) return !last;
  const bool first = HoldsByRecursion(steps, end, facts);
  return step.kind == Condition::Kind::kAnd ? first && last : first || last;
}

RC_GTEST_PROP(ConditionProperty, TheStackOfBitsWorksOutWhatRecursionDoes, ()) {
  const Condition condition = *AnyCondition(5);
  const Case facts{.user = *AnyName(),
                   .groups = {*AnyName()},
                   .duration = Span{*Between<int64_t>(0, 3000)},
                   .amounts = {{"ncpus", *Between<int64_t>(0, 3000)}},
                   .properties = {{"arch", *AnyName()}}};
  const Facts views{facts.user, facts.groups, facts.duration, facts.amounts, facts.properties};
  size_t end = condition.steps().size();
  RC_ASSERT(Holds(condition, views) == HoldsByRecursion(condition.steps(), end, views));
}

RC_GTEST_PROP(ConditionProperty, AnyBytesAreReadOrRefusedWithinTheText, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
      rc::gen::elementOf(std::vector<std::string>{"ncpus", " ", "<", "in", "(", ")", ",", "not ",
                                                  " and ", " or ", "4", "1h", "user", "=", "'"}),
      rc::gen::arbitrary<std::string>()));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const auto read = ParseCondition(text, Names());
  if (read.ok()) {
    const auto again = ParseCondition(ConditionText(*read), Names());
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == *read);
  } else {
    RC_ASSERT(read.diagnostic().where->column >= 1u);
    RC_ASSERT(read.diagnostic().where->column <= text.size() + 1);
  }
}

}  // namespace
}  // namespace muster::text::condition_test
