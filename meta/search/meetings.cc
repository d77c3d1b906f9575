// Turns a request into a search, its questions into proposals, and the answers into a place.
#include "meta/search/meetings.h"

#include <algorithm>
#include <utility>

#include "meta/requests/site_speeds.h"
#include "meta/requests/verdict_log.h"
#include "meta/search/asking.h"
#include "meta/search/meeting_search.h"
#include "meta/search/move_gain.h"
#include "meta/search/placing.h"
#include "meta/search/search_steps.h"
#include "meta/search/verifying.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using partitioner::Meeting;
using partitioner::MeetingQuestion;
using schemas::VerdictEntry;
using schemas::VerdictKind;

Seeker SeekerOf(const SearchLayer& f, const OpenMeeting& open) {
  return open.request ? SeekerOf(*f.requests.Find(*open.request)) : SeekerOf(*open.inquiry);
}

// Null if the inquiry is not planned behind others.
BehindOthers* BehindOf(SearchLayer& f, const OpenMeeting& open) {
  if (!open.inquiry || !open.inquiry->behind) return nullptr;
  return &f.lines.at(*open.inquiry->behind);
}

// Asks a site with the others' entries in front. The first proposal of the line contains them;
// later ones continue it.
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

// True if all entries in front were answered.
bool AllHaveRoom(const std::vector<VerdictEntry>& verdicts, size_t before) {
  return std::none_of(verdicts.begin(), verdicts.begin() + static_cast<std::ptrdiff_t>(before),
                      [](const VerdictEntry& v) { return v.kind == VerdictKind::kUnanswered; });
}

// Sends this round's questions.
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
                                           name, AskedAt(f, seeker.spec, name),
                                           TailBehind(f, t, seeker, question.whole));
      if (seeker.request) {
        SayWho(entry, f, *seeker.request);
      } else {
        SayWho(entry, f, seeker.spec, seeker.user, t.plan);
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

// Continues a search until it has to wait for a site or is over. When it is over, a request is
// placed and an inquiry is returned.
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
    // The site's overlay is lost or lacks some of the entries in front. The next question begins a
    // new chain.
    behind->last.erase(site);
    return open.search.Take(site, plan, nullptr);
  }
  const std::vector<VerdictEntry> own(verdicts->begin() + before, verdicts->end());
  open.search.Take(site, plan, &own);
}

}  // namespace

bool MayMeet(const SearchLayer& f) {
  const auto searching = std::count_if(f.meetings.begin(), f.meetings.end(), [](const auto& open) {
    return open.second.request.has_value();
  });
  return static_cast<size_t>(searching) < kMeetingsAtOnce;
}

void SeekMeeting(SearchLayer& f, Turn& t, Request& request) {
  Seeker seeker = SeekerOf(request);
  seeker.to_be_placed = true;
  if (const auto behind = SeeksBehind(f, request)) seeker.not_before = *behind;
  if (request.TriesElsewhere() && request.replacing) {
    const Instant start = f.attempts.at(*request.replacing).record().start;
    seeker.not_before = WorthAJointMove(f, t, request, start).begin;
  }
  const uint64_t owner = f.prover.NewOwner();
  OpenMeeting& open =
      f.meetings
          .emplace(owner, OpenMeeting{.search = MeetingOf(f, t, seeker), .request = request.id()})
          .first->second;
  AskSites(f, t, request);
  PutQuestions(f, t, owner, open, seeker);
  GoOn(f, t, owner);
}

Inquired Inquire(SearchLayer& f, Turn& t, Inquiry inquiry) {
  const Seeker seeker = SeekerOf(inquiry);
  Meeting search = MeetingOf(f, t, seeker);
  Inquired out{.owner = f.prover.NewOwner(), .over = {}};
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

}  // namespace muster::meta
