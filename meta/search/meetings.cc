// From a request to the sites of its search, from their questions to proposals, and back.
#include "meta/search/meetings.h"

#include <algorithm>
#include <utility>

#include "meta/attempts/attempts.h"
#include "meta/requests/horizon.h"
#include "meta/requests/terms.h"
#include "meta/requests/verdict_log.h"
#include "meta/search/joint_moves.h"
#include "meta/search/placing.h"
#include "meta/search/queueing.h"
#include "meta/search/search_steps.h"
#include "meta/search/shadow_starts.h"
#include "meta/search/verified_run.h"
#include "meta/sites/say.h"
#include "partitioner/meet.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using partitioner::Meeting;
using partitioner::MeetingQuestion;
using partitioner::MeetingSite;
using schemas::RequestSpec;
using schemas::VerdictEntry;
using schemas::VerdictKind;

// Who searches: a request on record, or somebody who asks.
struct Seeker {
  const RequestSpec& spec;
  const Request* request = nullptr;
  bool on_record = false;  // the request as it is: what sites said of it counts
  std::string user;
  std::optional<Fence> place;  // it has one that does not count: another shall replace it
  Instant not_before{-kFarFuture.seconds};
  bool to_be_placed = false;  // where it is found: as the gap rule has it

  IntervalSet Starts(const SearchLayer& f, const Turn& t, bool several,
                     const std::string& site) const {
    IntervalSet starts;
    if (to_be_placed) {
      starts = StartsSought(f, t, *request, several, site);
    } else if (request) {
      starts = StartsAt(f, t, *request, several, {site});
    } else {
      starts = StartsAt(f, t, spec, user, several, {site});
    }
    return starts.NotBefore(not_before);
  }
  bool Never(const SearchLayer& f, size_t part, const std::string& site) const {
    return on_record && f.searches.SaidNever(request->id(), part, site);
  }
};

// Shadows of sites, as they would be without the place that is to be replaced.
class Shadows {
 public:
  Shadows(const SearchLayer& f, std::optional<Fence> without) : f_(f), without_(without) {}
  const partitioner::Shadow& At(const std::string& name) {
    const Site& site = f_.sites.at(name);
    if (!without_ || !site.attempts.contains(*without_)) return site.shadow;
    const auto it = without_it_.find(name);
    if (it != without_it_.end()) return it->second;
    return without_it_.emplace(name, site.shadow.Without(*without_)).first->second;
  }

 private:
  const SearchLayer& f_;
  std::optional<Fence> without_;
  std::map<std::string, partitioner::Shadow> without_it_;
};

// `on_record`: as it is, not as somebody would have it.
Seeker SeekerOf(const Request& request, bool on_record = true) {
  return {.spec = request.record().spec,
          .request = &request,
          .on_record = on_record,
          .user = request.record().requester.user,
          .place = request.replacing};
}

Seeker SeekerOf(const Inquiry& inquiry) {
  if (inquiry.as) return SeekerOf(*inquiry.as, false);
  return {.spec = inquiry.spec, .user = inquiry.user};
}

Seeker SeekerOf(const SearchLayer& f, const OpenMeeting& open) {
  return open.request ? SeekerOf(*f.requests.Find(*open.request)) : SeekerOf(*open.inquiry);
}

// Sites map the parts they get in their order, so of unlike parts it counts which of two equal ones
// a site gets; up to this number each is of its own kind.
constexpr size_t kOwnKinds = 6;

// Parts that ask for the same are of one kind if all do, or where there are too many to tell them
// apart; `first_of_kind` are the first of them.
std::vector<size_t> KindsOf(const RequestSpec& spec, std::vector<size_t>& first_of_kind) {
  std::vector<size_t> out;
  const bool alike = std::all_of(spec.parts.begin(), spec.parts.end(),
                                 [&](const auto& part) { return part == spec.parts.front(); });
  if (!alike && spec.parts.size() <= kOwnKinds) {
    for (size_t i = 0; i < spec.parts.size(); ++i) first_of_kind.push_back(i);
    return first_of_kind;
  }
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    size_t kind = 0;
    while (kind < first_of_kind.size() && spec.parts[first_of_kind[kind]] != spec.parts[i]) ++kind;
    if (kind == first_of_kind.size()) first_of_kind.push_back(i);
    out.push_back(kind);
  }
  return out;
}

std::vector<std::string> AtSite(const RequestSpec& spec, const std::vector<size_t>& parts,
                                const std::string& site) {
  std::vector<std::string> out(spec.parts.size());
  for (const size_t part : parts) out[part] = site;
  return out;
}

std::optional<MeetingSite> SiteOf(const SearchLayer& f, const Turn& t, const Seeker& seeker,
                                  const std::vector<size_t>& first_of_kind, const std::string& name,
                                  Shadows& shadows) {
  MeetingSite out{.name = name};
  bool any = false;
  for (const size_t part : first_of_kind) {
    const bool may =
        partitioner::MayRunAt(seeker.spec.parts[part], name) && !seeker.Never(f, part, name);
    any = any || may;
    out.may_run.push_back(may);
    out.spoils.push_back(f.rarity.SpoilsOf(name, seeker.spec.parts[part]));
  }
  if (!any) return std::nullopt;
  out.alone = seeker.Starts(f, t, false, name);
  out.beside = seeker.Starts(f, t, true, name);
  if (out.alone.empty()) return std::nullopt;
  const Instant earliest = out.alone.intervals()[0].begin;
  out.shadow = kFarFuture;
  // Inside of a reservation there is a system that no shadow knows.
  if (seeker.spec.inside || !f.sites.at(name).shadow.known()) out.shadow = earliest;
  for (size_t kind = 0; kind < first_of_kind.size() && out.shadow > earliest; ++kind) {
    if (!out.may_run[kind]) continue;
    const auto fit =
        ShadowStart(f, shadows.At(name), seeker.spec,
                    AtSite(seeker.spec, {first_of_kind[kind]}, name), name, earliest, Span{0});
    if (fit) out.shadow = std::min(out.shadow, *fit);
  }
  out.length = LengthAt(f, seeker.spec, name);
  out.home = IsHome(f, seeker.user, name);
  out.load = f.sites.at(name).shadow.Load(t.NowCeiling());
  out.cost = CostAt(f, name);
  return out;
}

Meeting MeetingOf(const SearchLayer& f, const Turn& t, const Seeker& seeker, Shadows& shadows) {
  std::vector<size_t> first_of_kind;
  std::vector<size_t> kinds = KindsOf(seeker.spec, first_of_kind);
  std::vector<Span> offsets;
  for (const size_t part : first_of_kind) offsets.push_back(seeker.spec.parts[part].offset);
  std::vector<MeetingSite> sites;
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    if (!site.Up() || site.disk_low) continue;
    if (auto facts = SiteOf(f, t, seeker, first_of_kind, name, shadows)) {
      sites.push_back(*std::move(facts));
    }
  }
  return Meeting(std::move(kinds), std::move(offsets), seeker.spec.apart, std::move(sites),
                 {.ask_sites = f.options.ask_joint});
}

// What is booked behind the parts: of one site alone only what a gate needs.
Span TailBehind(const SearchLayer& f, const Turn& t, const Seeker& seeker, bool whole) {
  if (!whole) return TailOf(f);
  return seeker.request ? TailAlone(f, t, *seeker.request) : Span{0};
}

// Null: it goes behind nobody.
BehindOthers* BehindOf(SearchLayer& f, const OpenMeeting& open) {
  if (!open.inquiry || !open.inquiry->behind) return nullptr;
  return &f.lines.at(*open.inquiry->behind);
}

// Behind those before it there: with the first question they come along, and the next ones continue
// it.
void AskBehind(SearchLayer& f, Turn& t, uint64_t owner, OpenMeeting& open, Site& site,
               BehindOthers& behind, std::vector<schemas::ProposalEntry> questions) {
  std::vector<schemas::ProposalEntry> entries;
  std::optional<ProposalId> continues;
  const auto last = behind.last.find(site.name);
  if (last != behind.last.end()) {
    continues = last->second;
  } else {
    entries = EntriesOf(f, t, behind.others, site.name);
  }
  open.before[site.name] = entries.size();
  entries.insert(entries.end(), std::make_move_iterator(questions.begin()),
                 std::make_move_iterator(questions.end()));
  schemas::Propose propose =
      f.prover.AskTentatively(site.name, owner, site.plan, std::move(entries),
                              t.boot() + f.options.values.answer_wait, continues);
  behind.last[site.name] = propose.proposal;
  Say(f, t, site, std::move(propose));
}

// What was asked in front was answered.
bool AllHaveRoom(const std::vector<VerdictEntry>& verdicts, size_t before) {
  return std::none_of(verdicts.begin(), verdicts.begin() + static_cast<std::ptrdiff_t>(before),
                      [](const VerdictEntry& v) { return v.kind == VerdictKind::kUnanswered; });
}

// Puts the questions of this round.
void PutQuestions(SearchLayer& f, Turn& t, uint64_t owner, OpenMeeting& open,
                  const Seeker& seeker) {
  const BootInstant until = t.boot() + f.options.values.answer_wait;
  if (Request* request = open.request ? f.requests.Find(*open.request) : nullptr) {
    LogRound(*request);
  }
  open.out.clear();
  for (const auto& [name, questions] : open.search.questions()) {
    std::vector<schemas::ProposalEntry> entries;
    for (const MeetingQuestion& question : questions) {
      schemas::ProposalEntry entry;
      entry.parts = partitioner::DemandsAt(seeker.spec, AtSite(seeker.spec, question.parts, name),
                                           name, LengthAt(f, seeker.spec, name),
                                           TailBehind(f, t, seeker, question.whole));
      if (seeker.request) {
        SayWho(entry, *seeker.request);
        entry.priority = seeker.request->priority;
      } else {
        SayWho(entry, f, seeker.spec, seeker.user, t.plan);
        entry.priority = f.requests.PriorityOf(seeker.spec.queue);
      }
      entry.asked = question.allowed.intervals()[0].begin;
      entry.allowed = question.allowed;
      entry.want_starts = true;
      entry.alternative = true;
      entry.intervals = question.intervals;
      if (seeker.place) entry.ignoring = {*seeker.place};
      entries.push_back(std::move(entry));
    }
    open.out.insert(name);
    Site& site = f.sites.at(name);
    BehindOthers* behind = BehindOf(f, open);
    if (behind) {
      AskBehind(f, t, owner, open, site, *behind, std::move(entries));
    } else {
      Say(f, t, site, f.prover.Ask(name, owner, site.plan, std::move(entries), until));
    }
  }
}

void Place(SearchLayer& f, Turn& t, RequestId id, const Meeting& search) {
  Request* request = f.requests.Find(id);
  if (!request) return;
  f.searches.EndAsking(request->id());
  if (!request->Wanted() || request->seeking) return;
  if (request->record().attempt && !request->replacing) return;
  PlaceByMeeting(f, t, *request, search);
}

void LogAnswers(SearchLayer& f, const Turn& t, const OpenMeeting& open, const std::string& site,
                const std::vector<VerdictEntry>* verdicts) {
  Request* request = open.request ? f.requests.Find(*open.request) : nullptr;
  const auto asked = open.search.questions().find(site);
  if (!request || asked == open.search.questions().end()) return;
  for (size_t i = 0; i < asked->second.size(); ++i) {
    const MeetingQuestion& question = asked->second[i];
    LogAnswer(t, *request, f.sites.at(site), question.parts, question.allowed.intervals()[0].begin,
              verdicts ? (*verdicts)[i] : VerdictEntry{});
  }
}

// Goes on with the search until somebody has to be waited for, or it is over: then a request is
// placed, and an inquiry returned.
std::optional<InquiryOver> GoOn(SearchLayer& f, Turn& t, uint64_t owner) {
  const auto it = f.meetings.find(owner);
  OpenMeeting& open = it->second;
  if (!open.out.empty()) return std::nullopt;
  const Request* request = open.request ? f.requests.Find(*open.request) : nullptr;
  const bool wanted = !open.request || (request && request->Wanted());
  if (wanted && open.search.NextRound()) {
    PutQuestions(f, t, owner, open, SeekerOf(f, open));
    return std::nullopt;
  }
  OpenMeeting done = std::move(open);
  f.meetings.erase(it);
  if (done.inquiry) return InquiryOver{owner, std::move(done.search)};
  Place(f, t, *done.request, done.search);
  return std::nullopt;
}

void TakeAnswer(SearchLayer& f, OpenMeeting& open, const std::string& site, PlanRevision plan,
                const std::vector<VerdictEntry>* verdicts) {
  BehindOthers* behind = BehindOf(f, open);
  if (!behind) return open.search.Take(site, plan, verdicts);
  const auto before = static_cast<std::ptrdiff_t>(open.before.at(site));
  if (!verdicts || !AllHaveRoom(*verdicts, open.before.at(site))) {
    // Its overlay is gone, or others than those before it are in it: the next way begins anew.
    behind->last.erase(site);
    return open.search.Take(site, plan, nullptr);
  }
  const std::vector<VerdictEntry> own(verdicts->begin() + before, verdicts->end());
  open.search.Take(site, plan, &own);
}

// The parts that an attempt has at this site, from 0.
std::vector<size_t> PartsAt(const Attempt& attempt, const std::string& site) {
  std::vector<size_t> out;
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    if (attempt.record().part_sites[i] == site) out.push_back(i);
  }
  return out;
}

VerdictEntry ShadowAnswer(Instant start, const IntervalSet& allowed) {
  VerdictEntry out{.kind = VerdictKind::kBlocked};
  if (!allowed.Contains(start)) return out;
  out.kind = VerdictKind::kCountered;
  out.start = start;
  out.starts = IntervalSet::Only(start);
  return out;
}

VerdictEntry ShadowAnswers(const partitioner::Shadow::Starts& told, const IntervalSet& allowed) {
  VerdictEntry out{.kind = VerdictKind::kBlocked};
  out.starts = told.starts.Intersect(allowed);
  if (out.starts.empty()) return out;
  out.kind = VerdictKind::kCountered;
  out.start = out.starts.intervals()[0].begin;
  out.complete_until = told.complete_until;
  return out;
}

IntervalSet Both(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> all = a.intervals();
  all.insert(all.end(), b.intervals().begin(), b.intervals().end());
  return IntervalSet(std::move(all));
}

// When a part alone might start at a site, as its shadow and the offer of its place say.
IntervalSet ChancesAt(const SearchLayer& f, const Seeker& seeker, const Attempt& place, size_t part,
                      const std::string& name, const Interval& within, Shadows& shadows) {
  const Site& site = f.sites.at(name);
  if (!site.Up() || site.disk_low || seeker.Never(f, part, name)) return {};
  if (!partitioner::MayRunAt(seeker.spec.parts[part], name)) return {};
  if (!site.shadow.known()) return IntervalSet({within});
  const partitioner::Shadow::Starts told = ShadowStarts(
      f, shadows.At(name), seeker.spec, AtSite(seeker.spec, {part}, name), name, within, Span{0});
  IntervalSet starts = told.starts;
  if (told.complete_until < within.end) {
    starts = Both(starts, IntervalSet({{told.complete_until, within.end}}));
  }
  const auto offer = place.offers.find(name);
  if (offer == place.offers.end() || place.record().part_sites[part] != name) return starts;
  return Both(starts, offer->second);
}

// Is there a start at which each part alone might start somewhere? Several parts of one site need
// no less than each of them.
bool PartsMightMeet(const SearchLayer& f, const Seeker& seeker, const Attempt& place,
                    const Interval& within, Shadows& shadows) {
  IntervalSet common({within});
  for (size_t part = 0; part < seeker.spec.parts.size() && !common.empty(); ++part) {
    IntervalSet any;
    for (const std::string& name : f.site_names) {
      any = Both(any, ChancesAt(f, seeker, place, part, name, within, shadows));
    }
    common = common.Intersect(any);
  }
  return !common.empty();
}

}  // namespace

bool MayMeet(const SearchLayer& f) {
  const auto searching = std::count_if(f.meetings.begin(), f.meetings.end(), [](const auto& open) {
    return open.second.request.has_value();
  });
  return static_cast<size_t>(searching) < kMeetingsAtOnce;
}

std::optional<Instant> SeeksBehind(const SearchLayer& f, const Request& request) {
  const auto slack =
      partitioner::MeetSlack(f.searches.Of(request.id()).tries, f.options.meet_tries);
  if (!slack || slack->seconds == 0) return std::nullopt;
  return f.searches.Of(request.id()).best_slot + *slack;
}

void SeekMeeting(SearchLayer& f, Turn& t, Request& request) {
  Seeker seeker = SeekerOf(request);
  seeker.to_be_placed = true;
  if (const auto behind = SeeksBehind(f, request)) seeker.not_before = *behind;
  if (request.TriesElsewhere() && request.replacing) {
    const Instant start = f.attempts.at(*request.replacing).record().start;
    seeker.not_before = WorthAJointMove(f, t, request, start).begin;
  }
  const uint64_t owner = ++f.last_owner;
  Shadows shadows(f, seeker.place);
  OpenMeeting& open = f.meetings
                          .emplace(owner, OpenMeeting{.search = MeetingOf(f, t, seeker, shadows),
                                                      .request = request.id()})
                          .first->second;
  AskSites(f, t, request);
  PutQuestions(f, t, owner, open, seeker);
  GoOn(f, t, owner);
}

Inquired Inquire(SearchLayer& f, Turn& t, Inquiry inquiry) {
  const Seeker seeker = SeekerOf(inquiry);
  Shadows shadows(f, seeker.place);
  Meeting search = MeetingOf(f, t, seeker, shadows);
  Inquired out{.owner = ++f.last_owner, .over = {}};
  OpenMeeting& open = f.meetings
                          .emplace(out.owner, OpenMeeting{.search = std::move(search),
                                                          .inquiry = std::move(inquiry)})
                          .first->second;
  PutQuestions(f, t, out.owner, open, SeekerOf(f, open));
  if (auto over = GoOn(f, t, out.owner)) out.over = std::move(over->search);
  return out;
}

void DropInquiry(SearchLayer& f, uint64_t owner) {
  f.prover.Drop(owner);
  f.meetings.erase(owner);
}

void GoBehind(SearchLayer& f, uint64_t line, std::vector<LaidOut> others) {
  f.lines[line] = {.others = std::move(others), .last = {}};
}

void DropLine(SearchLayer& f, uint64_t line) { f.lines.erase(line); }

std::vector<uint64_t> MeetingsAt(const SearchLayer& f, const std::string& site) {
  std::vector<uint64_t> owners;
  for (const auto& [owner, open] : f.meetings) {
    if (open.out.contains(site)) owners.push_back(owner);
  }
  return owners;
}

std::optional<InquiryOver> TakeMeeting(SearchLayer& f, Turn& t, uint64_t owner,
                                       const std::string& site, PlanRevision plan,
                                       const std::vector<VerdictEntry>* verdicts) {
  OpenMeeting& open = f.meetings.at(owner);
  LogAnswers(f, t, open, site, verdicts);
  TakeAnswer(f, open, site, plan, verdicts);
  open.out.erase(site);
  return GoOn(f, t, owner);
}

std::optional<partitioner::Met> MeetByShadows(const SearchLayer& f, const Turn& t,
                                              const Request& request) {
  const Seeker seeker = SeekerOf(request);
  Shadows shadows(f, seeker.place);
  Meeting search = MeetingOf(f, t, seeker, shadows);
  const auto questions = search.questions();
  Instant alone = kFarFuture;
  Instant beside = kFarFuture;
  for (const auto& [name, asked] : questions) {
    if (!f.sites.at(name).shadow.known()) return std::nullopt;
    std::vector<VerdictEntry> answers;
    for (const MeetingQuestion& question : asked) {
      const Instant earliest = question.allowed.intervals()[0].begin;
      Instant& least = question.whole ? alone : beside;
      least = std::min(least, earliest);
      const auto start =
          ShadowStart(f, shadows.At(name), seeker.spec, AtSite(seeker.spec, question.parts, name),
                      name, earliest, TailBehind(f, t, seeker, question.whole));
      answers.push_back(ShadowAnswer(start.value_or(kFarFuture), question.allowed));
    }
    search.Take(name, {}, &answers);
  }
  std::optional<partitioner::Met> met = search.Best(f.options.transfer);
  if (!met) return std::nullopt;
  const bool several = partitioner::MembersOf(met->part_sites).size() > 1;
  // One site alone needs no start barrier: where one could have all the parts it may start before,
  // though its shadow does not show it.
  const bool nothing_better =
      several ? met->start == beside && alone == kFarFuture : met->start == alone;
  if (!nothing_better) return std::nullopt;
  return met;
}

// A shadow knows little of nodes, shapes and rules, so that it rather tells too much.
bool HasAChance(const SearchLayer& f, const Turn& t, const Request& request, const Attempt& place,
                const Interval& within) {
  if (within.begin >= within.end) return false;
  Seeker seeker = SeekerOf(request);
  seeker.place = place.fence();
  Shadows shadows(f, seeker.place);
  if (!PartsMightMeet(f, seeker, place, within, shadows)) return false;
  Meeting search = MeetingOf(f, t, seeker, shadows);
  const IntervalSet worth({within});
  const auto questions = search.questions();
  for (const auto& [name, asked] : questions) {
    if (!f.sites.at(name).shadow.known()) return true;
    const std::vector<size_t> own = PartsAt(place, name);
    const auto offer = place.offers.find(name);
    std::vector<VerdictEntry> answers;
    for (const MeetingQuestion& question : asked) {
      const IntervalSet allowed = question.allowed.Intersect(worth);
      partitioner::Shadow::Starts starts =
          ShadowStarts(f, shadows.At(name), seeker.spec, AtSite(seeker.spec, question.parts, name),
                       name, within, TailBehind(f, t, seeker, question.whole));
      if (offer != place.offers.end() && question.parts == own) {
        starts.starts = Both(starts.starts, offer->second);
      }
      answers.push_back(ShadowAnswers(starts, allowed));
    }
    search.Take(name, {}, &answers);
  }
  const std::optional<Instant> possible = search.Possible();
  return possible && *possible < within.end;
}

}  // namespace muster::meta
