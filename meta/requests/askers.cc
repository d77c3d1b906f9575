// Ids are handed out ascending, so that new ones are mostly put at the end.
#include "meta/requests/askers.h"

#include <algorithm>
#include <utility>

namespace muster::meta {
namespace {

// The first of the facts that is not before this id.
auto AtOrBehind(std::vector<Askers::Facts>& facts, RequestId id) {
  return std::lower_bound(
      facts.begin(), facts.end(), id,
      [](const Askers::Facts& one, RequestId wanted) { return one.id < wanted; });
}

}  // namespace

void Askers::Begin(const std::set<RequestId>& open) {
  for (Given& given : given_) given.points.reset();
  std::vector<Facts> facts;
  facts.reserve(open.size());
  auto known = facts_.begin();
  for (const RequestId id : open) {
    while (known != facts_.end() && known->id < id) ++known;
    facts.push_back(known != facts_.end() && known->id == id ? *known : Facts{.id = id});
  }
  facts_ = std::move(facts);
}

void Askers::NoteChanged(const std::set<RequestId>& requests) {
  for (const RequestId id : requests) {
    const auto it = AtOrBehind(facts_, id);
    if (it != facts_.end() && it->id == id) it->stale = true;
  }
}

Askers::Facts& Askers::Stale(RequestId id) {
  auto it = AtOrBehind(facts_, id);
  if (it == facts_.end() || it->id != id) it = facts_.insert(it, Facts{.id = id});
  it->stale = true;
  return *it;
}

size_t Askers::Behind(RequestId id) const {
  const auto it =
      std::upper_bound(facts_.begin(), facts_.end(), id,
                       [](RequestId wanted, const Facts& one) { return wanted < one.id; });
  return static_cast<size_t>(it - facts_.begin());
}

size_t Askers::NumberOf(const Name& name) {
  const auto [it, added] = names_.try_emplace(name, given_.size());
  if (added) given_.push_back({.name = name, .points = {}});
  return it->second;
}

}  // namespace muster::meta
