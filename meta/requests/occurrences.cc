// Occurrences are found among the open requests of the owner.
#include "meta/requests/occurrences.h"

#include <algorithm>

namespace muster::meta {

std::vector<RequestId> UnfinishedOccurrences(const RequestsLayer& f, const Request& request) {
  std::vector<RequestId> out;
  for (const RequestId id : f.requests.OpenOf(request.record().requester.user)) {
    const Request* other = f.requests.Find(id);
    const auto& reserves = other->record().spec.reserves;
    if (reserves && reserves->of == request.id()) out.push_back(id);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<RequestId> WithOccurrences(const RequestsLayer& f, const std::vector<RequestId>& ids) {
  std::vector<RequestId> out;
  for (const RequestId id : ids) {
    out.push_back(id);
    const Request* request = f.requests.Find(id);
    if (request == nullptr || request->Ended() || !IsStanding(*request)) continue;
    for (const RequestId one : UnfinishedOccurrences(f, *request)) {
      const bool named = std::find(ids.begin(), ids.end(), one) != ids.end();
      const bool begun = f.requests.Find(one)->state() >= schemas::RequestState::kStarting;
      if (!named && !begun) out.push_back(one);
    }
  }
  return out;
}

std::optional<RequestId> NextOccurrence(const RequestsLayer& f, const Request& request) {
  std::optional<RequestId> next;
  for (const RequestId id : UnfinishedOccurrences(f, request)) {
    const auto at = [&](RequestId one) { return f.requests.Find(one)->record().spec.at; };
    if (!next || at(id) < at(*next)) next = id;
  }
  return next;
}

}  // namespace muster::meta
