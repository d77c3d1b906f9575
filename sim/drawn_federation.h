// Random small federations and jobs for tests against brute force: sites of one to six nodes with
// different speeds, some with switches, a geometry or limits.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "meta/options.h"
#include "schemas/request.h"
#include "site/machine/layout.h"
#include "site/options.h"

namespace muster::sim {

struct DrawnFederation {
  meta::Options meta;
  std::vector<site::Options> sites;
  std::vector<int64_t> speeds;  // by site, in thousandths of the reference speed
};

inline void DrawSwitches(Random& random, site::Options& site) {
  machine::Switch first{.name = "s1", .nodes = {}, .switches = {}};
  machine::Switch second{.name = "s2", .nodes = {}, .switches = {}};
  for (const site::Node& node : site.nodes) {
    (random.Chance(500) ? first : second).nodes.push_back(node.name);
  }
  site.switches = {first, second, {.name = "top", .nodes = {}, .switches = {"s1", "s2"}}};
}

// A mesh, a torus or a cube of equal units.
inline void DrawShape(Random& random, site::Options& site) {
  const std::vector<machine::Layout> layouts = {
      {.kind = machine::Kind::kMesh, .sides = {2, 2}},
      {.kind = machine::Kind::kMesh, .sides = {3, 2}},
      {.kind = machine::Kind::kTorus, .sides = {3, 2, 1}},
      {.kind = machine::Kind::kHypercube, .sides = {2}},
  };
  const machine::Layout& layout = layouts[random.Below(layouts.size())];
  site.nodes.clear();
  for (size_t n = 0; n < machine::UnitsOf(layout); ++n) {
    site.nodes.push_back({.name = site.name + std::to_string(n), .resources = {{"ncpus", 2}}});
  }
  site.units.geometry = machine::MakeGeometry(layout);
  for (const site::Node& node : site.nodes) site.units.nodes.push_back(node.name);
}

inline void DrawRules(Random& random, site::Options& site) {
  if (random.Chance(500)) {
    rules::Limit cpus{.resource = "ncpus"};
    cpus.items.items = random.Between(2, 8);
    site.rules.limits.push_back(cpus);
  }
  if (random.Chance(300)) {
    rules::Limit jobs{.resource = rules::kJobs};
    jobs.items.items = random.Between(2, 5);
    site.rules.limits.push_back(jobs);
  }
  if (random.Chance(300)) site.rules.federation_percent = static_cast<int>(random.Between(50, 100));
}

inline DrawnFederation DrawFederation(Random& random) {
  DrawnFederation out;
  out.meta.federation = "drawn";
  out.meta.users = {{.name = "kim"}, {.name = "root", .is_operator = true}};
  out.meta.values.lead = Seconds(random.Chance(500) ? 0 : random.Between(1, 30));
  out.meta.values.start_wait = Seconds(90);
  const int64_t sites = random.Between(2, 4);
  const Span turnover{random.Between(0, 3)};
  for (int64_t i = 0; i < sites; ++i) {
    site::Options site;
    site.name = std::string(1, static_cast<char>('a' + i));
    site.driver = "simulated";
    site.users = {{.name = "bo"}};
    site.facts.turnover = turnover;
    site.facts.start_slack = Span{turnover.seconds > 0 ? 1 : 0};
    const int64_t nodes = random.Between(1, 6);
    for (int64_t n = 0; n < nodes; ++n) {
      site.nodes.push_back(
          {.name = site.name + std::to_string(n), .resources = {{"ncpus", random.Between(1, 4)}}});
    }
    if (random.Chance(150)) {
      DrawShape(random, site);
    } else if (random.Chance(200)) {
      DrawSwitches(random, site);
    }
    if (random.Chance(200)) DrawRules(random, site);
    out.speeds.push_back(random.Chance(200) ? random.Between(1, 4) * 500 : 1000);
    out.meta.terms[site.name].speed = out.speeds.back();
    out.sites.push_back(std::move(site));
  }
  return out;
}

inline schemas::PartSpec DrawPart(Random& random, const DrawnFederation& drawn) {
  schemas::PartSpec out;
  out.chunks = {{.count = static_cast<uint32_t>(random.Between(1, 3)),
                 .resources = {{"ncpus", random.Between(1, 2)}}}};
  if (random.Chance(100)) out.place = schemas::Place::kScatter;
  if (random.Chance(100)) out.exclusive = true;
  if (random.Chance(100)) out.set = "switch";
  if (random.Chance(250)) out.sites = {drawn.sites[random.Below(drawn.sites.size())].name};
  return out;
}

// Draws a job. Its second command argument is its real run time in seconds.
inline schemas::RequestSpec DrawJob(Random& random, const DrawnFederation& drawn, int64_t parts) {
  schemas::RequestSpec spec;
  spec.name = "drawn";
  spec.duration = Span{random.Between(5, 90)};
  for (int64_t i = 0; i < parts; ++i) spec.parts.push_back(DrawPart(random, drawn));
  if (parts > 1) {
    if (random.Chance(400)) {
      for (schemas::PartSpec& part : spec.parts) part = spec.parts.front();
    }
    if (random.Chance(200)) spec.parts.back().offset = Span{random.Between(1, 30)};
    spec.apart = random.Chance(300);
  }
  const int64_t runs =
      random.Chance(500) ? spec.duration.seconds : random.Between(1, spec.duration.seconds);
  spec.payload.argv = {"job", std::to_string(runs)};
  return spec;
}

}  // namespace muster::sim
