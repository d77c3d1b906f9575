// The earliest common start by brute force, for tests. For every second and every assignment of
// parts to sites, copies of the sites' cores are asked whether they could start all their parts
// then. The oracle uses no alternatives, sets of starts or shadows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "partitioner/split.h"
#include "schemas/request.h"
#include "site/core.h"

namespace muster::sim {

struct OracleSite {
  std::string name;
  const site::Core* core = nullptr;
  int64_t speed = 1000;  // in thousandths of the reference speed
};

struct OracleQuestion {
  schemas::RequestSpec spec;  // the request; its duration is set
  schemas::ToSite envelope;  // template with federation, epoch and floor of the meta's last message
  Now now;
  Span lead;          // applies if several sites take part
  Span tail;          // applies if several sites take part
  Span search{2000};  // how far ahead to search
};

class MeetingOracle {
 public:
  MeetingOracle(OracleQuestion question, const std::vector<OracleSite>& sites)
      : question_(std::move(question)), sites_(sites) {
    for (const OracleSite& site : sites_) cores_.push_back(*site.core);
  }

  // The first second at which all sites of some assignment accept; none within `search`.
  std::optional<Instant> Earliest() {
    const Instant now = question_.now.wall.Ceiling();
    for (Instant t = now; t < now + question_.search; t = t + Span{1}) {
      if (SomeAssignmentAt(t)) return t;
    }
    return std::nullopt;
  }

 private:
  bool SomeAssignmentAt(Instant t) {
    const size_t parts = question_.spec.parts.size();
    size_t assignments = 1;
    for (size_t i = 0; i < parts; ++i) assignments *= sites_.size();
    for (size_t a = 0; a < assignments; ++a) {
      std::map<size_t, uint32_t> masks;
      bool possible = true;
      for (size_t part = 0, rest = a; part < parts && possible; ++part, rest /= sites_.size()) {
        const size_t site = rest % sites_.size();
        possible = partitioner::MayRunAt(question_.spec.parts[part], sites_[site].name) &&
                   !(question_.spec.apart && masks.contains(site));
        masks[site] |= 1u << part;
      }
      if (!possible || !Allowed(masks, t)) continue;
      for (const auto& [site, mask] : masks) {
        possible = possible && Accepts(site, mask, masks.size() > 1, t);
      }
      if (possible) return true;
    }
    return false;
  }

  Span LengthAt(size_t site) const {
    const int64_t speed = sites_[site].speed;
    return {(question_.spec.duration.seconds * 1000 + speed - 1) / speed};
  }

  // True if the request's own window allows a start at t, which at several sites is also after the
  // lead. The slowest site decides whether the deadline holds.
  bool Allowed(const std::map<size_t, uint32_t>& masks, Instant t) const {
    const schemas::RequestSpec& spec = question_.spec;
    if (spec.from && t < *spec.from) return false;
    if (spec.start_by && t > *spec.start_by) return false;
    if (masks.size() > 1 &&
        ToMoment(t) < Moment{question_.now.wall.milliseconds + question_.lead.seconds * 1000}) {
      return false;
    }
    Span last{0};
    for (const schemas::PartSpec& part : spec.parts) last = std::max(last, part.offset);
    for (const auto& [site, mask] : masks) {
      if (spec.deadline && t + last + LengthAt(site) > *spec.deadline) return false;
    }
    return true;
  }

  bool Accepts(size_t site, uint32_t mask, bool several, Instant t) {
    const auto [known, fresh] = answers_.try_emplace({site, mask, several, t});
    if (fresh) known->second = AskSite(site, mask, several, t);
    return known->second;
  }

  bool AskSite(size_t site, uint32_t mask, bool several, Instant t) {
    schemas::ProposalEntry entry;
    for (uint32_t part = 0; part < question_.spec.parts.size(); ++part) {
      if ((mask >> part & 1) == 0) continue;
      entry.parts.push_back(
          partitioner::DemandOf(question_.spec, part + 1, several ? question_.tail : Span{0}));
      entry.parts.back().duration = LengthAt(site);
    }
    entry.user = "kim";
    entry.asked = t;
    entry.allowed = IntervalSet::Only(t);
    schemas::ToSite message = question_.envelope;
    message.number.value += ++asked_;
    message.body = schemas::Propose{.proposal = {asked_}, .entries = {entry}};
    const site::Effects effects = cores_[site].Step(question_.now, {site::MetaSays{message}});
    for (const schemas::ToMeta& answer : effects.to_meta) {
      const auto* verdict = std::get_if<schemas::Verdict>(&answer.body);
      if (verdict == nullptr) continue;
      ++heard_;
      return verdict->entries.at(0).kind == schemas::VerdictKind::kAccepted;
    }
    return false;
  }

  OracleQuestion question_;
  std::vector<OracleSite> sites_;
  std::vector<site::Core> cores_;
  std::map<std::tuple<size_t, uint32_t, bool, Instant>, bool> answers_;
  uint64_t asked_ = 0;
  uint64_t heard_ = 0;

 public:
  // False if a site left a question unanswered: then the oracle's result is meaningless.
  bool WasHeard() const { return heard_ == asked_; }
};

}  // namespace muster::sim
