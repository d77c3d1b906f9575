// Elements follow their array in the table, since their ids sort after its id.
#include "meta/requests/array_jobs.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/rank.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/windows.h"

namespace muster::meta {

void MakeElements(RequestsLayer& f, const Request& array) {
  const schemas::RequestRecord& whole = array.record();
  const schemas::ArraySpec spec = *whole.spec.array;
  for (uint64_t i = 0; i < ElementsOf(spec); ++i) {
    schemas::RequestRecord record;
    record.id = whole.id.element(spec.first + i * spec.step);
    record.requester = whole.requester;
    // Elements have no client key; the array's key covers them.
    record.key.generated = whole.submitted_at;
    record.spec = whole.spec;
    record.spec.payload = {};
    record.spec.array.reset();
    record.submitted_at = whole.submitted_at;
    Request& element = f.requests.Add(std::move(record));
    f.arrays.Count(element.record());
    f.dependents.Add(element.id(), element.record().spec);
    WatchWindow(f, element);
    CountOpen(f, element, whole.submitted_at);
    f.room.Ready(RankOf(element));
  }
}

const schemas::Payload& PayloadOf(const RequestsLayer& f, const Request& request) {
  if (!request.id().is_element()) return request.record().spec.payload;
  const Request* array = f.requests.Find(request.id().array());
  MUSTER_CHECK(array != nullptr);
  return array->record().spec.payload;
}

schemas::ArrayView ArrayViewOf(const RequestsLayer& f, const Request& array) {
  const schemas::ArraySpec& spec = *array.record().spec.array;
  schemas::ArrayView out = f.arrays.CountsOf(array.id());
  out.first = spec.first;
  out.last = spec.last;
  out.step = spec.step;
  out.at_once = spec.at_once;
  std::set<std::string> sites;
  ForEachElement(f, array.id(), [&](const Request& element) {
    if (!element.record().attempt) return;
    const auto it = f.attempts.find(*element.record().attempt);
    if (it == f.attempts.end()) return;
    sites.insert(it->second.record().members.begin(), it->second.record().members.end());
  });
  out.sites.assign(sites.begin(), sites.end());
  for (const RequestId id : f.arrays.FailuresOf(array.id())) {
    const Request* element = f.requests.Find(id);
    if (!element) continue;
    schemas::ElementFailure failure;
    failure.id = ToText(id);
    failure.outcome = element->record().outcome.value_or(schemas::Outcome::kFailed);
    for (const schemas::PartEnd& end : PartEndsOf(f, *element)) {
      if (end.by == schemas::EndedBy::kExit && end.exit_code == 0) continue;
      failure.exit_code = end.exit_code;
      failure.signal = end.signal;
      failure.text = end.text;
      break;
    }
    out.failures.push_back(std::move(failure));
  }
  return out;
}

std::vector<RequestId> TargetsOf(const RequestsLayer& f, const Request& request) {
  if (!request.record().spec.array) return {request.id()};
  std::vector<RequestId> out;
  ForEachElement(f, request.id(), [&](const Request& element) { out.push_back(element.id()); });
  return out;
}

}  // namespace muster::meta
