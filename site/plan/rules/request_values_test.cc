// Default and forced values (OpenCCS Sect. 5.1).
#include "site/plan/rules/request_values.h"

#include <gtest/gtest.h>

#include "site/plan/rules/rules_fixture.h"

namespace muster::rules::request_values_test {
namespace {

using Properties = std::map<std::string, std::string>;

RequestValues Of(std::string who, ResourceSet resources) {
  RequestValues values;
  values.who = std::move(who);
  values.resources = std::move(resources);
  return values;
}

TEST(RequestValues, DefaultsFillWhatIsMissingAndForcedValuesReplaceWhatIsThere) {
  RuleSet rules;
  rules.defaults = {Of("*", {{"mem", 2}, {"ncpus", 1}})};
  rules.defaults[0].properties = {{"arch", "x86_64"}};
  rules.defaults[0].jobwide = {{"scratch", 5}};
  rules.forced = {Of("*", {{"vmem", 8}})};
  rules.forced[0].properties = {{"net", "ib"}};
  plan::Order order;
  order.parts.resize(2);
  order.parts[0].chunks = {{1, {{"ncpus", 4}, {"vmem", 64}}, {{"arch", "ppc"}}}, {2, {}, {}}};
  order.parts[1].chunks = {{1, {}, {{"net", "opa"}}}};
  Fill(rules, order);
  EXPECT_EQ(order.parts[0].chunks[0].resources,
            (ResourceSet{{"ncpus", 4}, {"mem", 2}, {"vmem", 8}}));
  EXPECT_EQ(order.parts[0].chunks[0].properties, (Properties{{"arch", "ppc"}, {"net", "ib"}}));
  EXPECT_EQ(order.parts[0].chunks[1].resources,
            (ResourceSet{{"ncpus", 1}, {"mem", 2}, {"vmem", 8}}));
  EXPECT_EQ(order.parts[0].jobwide, (ResourceSet{{"scratch", 5}}));
  EXPECT_EQ(order.parts[1].chunks[0].properties, (Properties{{"arch", "x86_64"}, {"net", "ib"}}));
  EXPECT_TRUE(order.parts[1].jobwide.empty()) << "once for the request";
  const plan::Part once = order.parts[0];
  Fill(rules, order);
  EXPECT_EQ(order.parts[0].chunks[0].resources, once.chunks[0].resources);
}

TEST(RequestValues, EachComesFromTheMostSpecificWhoHasIt) {
  RuleSet rules;
  rules.defaults = {Of("kim", {{"mem", 4}}), Of("@g", {{"mem", 3}, {"vmem", 3}}),
                    Of("*", {{"mem", 1}, {"vmem", 1}, {"ncpus", 1}})};
  rules.defaults[1].duration = Span{600};
  rules.forced.resize(1);
  rules.forced[0].who = "@late";
  rules.forced[0].duration = Span{60};
  ResourceSet resources;
  Properties properties;
  const Values kim(rules, "kim", {"g"});
  kim.FillChunk(resources, properties);
  EXPECT_EQ(resources, (ResourceSet{{"mem", 4}, {"vmem", 3}, {"ncpus", 1}}));
  EXPECT_EQ(kim.Duration({0}), Span{600});
  EXPECT_EQ(kim.Duration({5}), Span{5});
  EXPECT_EQ(Values(rules, "lee", {}).Duration({0}), Span{0});
  EXPECT_EQ(Values(rules, "kim", {"g", "late"}).Duration({5}), Span{60});
}

TEST(RequestValues, WhatLastsLongerThanTheSiteInsistsOnIsNotTakenFromTheFederation) {
  RuleSet rules;
  rules.forced = {Of("@guests", {})};
  rules.forced[0].duration = Span{60};
  World world({{"n1", {{"ncpus", 4}}, {}}}, rules, At(2026, 1, 1));
  const auto by_meta = [](plan::Order order) {
    order.who.federated = true;
    return order;
  };
  const plan::Order longer = InGroups(Asks("ana", {{"ncpus", 1}}, 61), {"guests"});
  const plan::Refused refused = world.RefusalOf(by_meta(longer));
  EXPECT_EQ(refused.kind, plan::Refused::Kind::kNever);
  EXPECT_EQ(refused.why.code, plan::Why::Code::kPolicy);
  EXPECT_EQ(refused.why.text, "jobs of ana last 1m here");
  EXPECT_EQ(world.StartOf(by_meta(InGroups(Asks("ana", {{"ncpus", 1}}, 60), {"guests"}))),
            world.now());
  EXPECT_EQ(world.StartOf(by_meta(Asks("kim", {{"ncpus", 1}}, 600))), world.now());
  EXPECT_EQ(world.StartOf(longer), world.now()) << "of its own users it has been shortened before";
}

}  // namespace
}  // namespace muster::rules::request_values_test
