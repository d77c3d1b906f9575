// For several requests, each result is a note; for a single request that is not altered, the answer
// is a refusal.
#include "meta/service/alter_answers.h"

#include <map>
#include <utility>
#include <variant>

#include "meta/requests/refusals.h"
#include "meta/service/asker.h"

namespace muster::meta {
namespace {

using schemas::Refused;

// Null if no alteration awaits a result for this request.
Altering* FindAltering(ServiceLayer& f, RequestId id) {
  const std::optional<uint64_t> number = AlteringOf(f, id);
  return number ? f.alters.FindQuestion(*number) : nullptr;
}

// The result for one job, or a summary for all elements of an array.
std::string NoteOf(const ServiceLayer& f, const Alterings::Gathering& altered, RequestId named) {
  std::map<std::string, size_t> notes;
  for (const auto& [id, note] : altered.answers) {
    if (id == named || id.array() == named) ++notes[note];
  }
  const Request* request = f.requests.Find(named);
  const bool array = request && request->record().spec.array;
  std::string out;
  for (const auto& [note, count] : notes) {
    if (!array) return note;
    out += (out.empty() ? "" : "; ") + std::to_string(count) +
           (count == 1 ? " element " : " elements ") + note;
  }
  return out;
}

void Answer(ServiceLayer& f, Turn& t, const Alterings::Gathering& altered) {
  const Asker asker = AskerOf(altered.client);
  const Altering& altering = altered.question;
  if ((altering.refused || altered.answers.empty()) && !altering.refusals.empty()) {
    return Refuse(f, t, asker, altering.refusals.front());
  }
  schemas::Accepted out;
  for (const RequestId id : altering.requests) {
    const Request* request = f.requests.Find(id);
    if (!request) continue;
    out.requests.push_back(id);
    out.states.push_back(request->state());
    out.notes.push_back(NoteOf(f, altered, id));
  }
  out.moves = altering.moves;
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

// Records the result of a trial in the alteration that awaits it.
struct AlteredTeller {
  ServiceLayer& f;
  Turn& t;

  void operator()(Altered news) const {
    Altering* altering = news.lost_its_place ? FindAltering(f, news.request) : nullptr;
    const Request* request = f.requests.Find(news.request);
    if (altering && request) {
      std::erase_if(altering->moves,
                    [job = ShownId(*request)](const auto& row) { return row.job == job; });
    }
    NoteAltered(f, t, news.request, std::move(news.text));
  }
  void operator()(NotAltered news) const {
    if (news.why.changed.empty()) news.why.changed = kNothingChanged;
    NoteNotAltered(f, t, news.request, std::move(news.why));
  }
  void operator()(AlteredStart news) const {
    if (Altering* altering = FindAltering(f, news.request)) {
      altering->moves.push_back(std::move(news.move));
    }
  }
  void operator()(const AlterationWaits& news) const {
    const std::optional<uint64_t> number = AlteringOf(f, news.request);
    if (number) f.alters.Extend(*number, news.until);
  }
};

}  // namespace

std::optional<uint64_t> AlteringOf(const ServiceLayer& f, RequestId id) {
  const std::vector<uint64_t> numbers = f.alters.Awaiting(id);
  return numbers.empty() ? std::nullopt : std::optional(numbers.front());
}

void FinishAltering(ServiceLayer& f, Turn& t, uint64_t number) {
  if (const auto altered = f.alters.TakeComplete(number)) Answer(f, t, *altered);
}

void DecideAltered(ServiceLayer& f, uint64_t number, RequestId id, std::string note) {
  f.alters.Ask(number, id);
  f.alters.Take(number, id, std::move(note));
}

void NoteAltered(ServiceLayer& f, Turn& t, RequestId id, std::string note) {
  const std::optional<uint64_t> number = AlteringOf(f, id);
  if (!number) return;
  f.alters.Take(*number, id, std::move(note));
  FinishAltering(f, t, *number);
}

void NoteNotAltered(ServiceLayer& f, Turn& t, RequestId id, Refused why) {
  const std::optional<uint64_t> number = AlteringOf(f, id);
  if (!number) return;
  Altering& altering = *f.alters.FindQuestion(*number);
  // With several requests, the refusal is a note beside the results of the others.
  if (altering.requests.size() > 1 || id.is_element()) {
    f.alters.Take(*number, id, "not altered: " + why.message);
  } else {
    f.alters.Miss(*number, id);
  }
  altering.refusals.push_back(std::move(why));
  FinishAltering(f, t, *number);
}

void TellAltered(ServiceLayer& f, Turn& t) {
  for (AlterationNews& news : f.requests.TakeNews())
    std::visit(AlteredTeller{f, t}, std::move(news));
}

}  // namespace muster::meta
