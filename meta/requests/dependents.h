// Index of dependencies: for each request, those that come after it, so that the end of a job needs
// no scan. A dependency names a job, a whole array, or one element.
#pragma once

#include <map>
#include <set>

#include "base/ids.h"
#include "schemas/request.h"

namespace muster::meta {

class Dependents {
 public:
  void Add(RequestId id, const schemas::RequestSpec& spec) {
    for (const schemas::Dependency& d : spec.after) after_[d.request].insert(id);
  }
  void Remove(RequestId id, const schemas::RequestSpec& spec) {
    for (const schemas::Dependency& d : spec.after) {
      const auto it = after_.find(d.request);
      if (it == after_.end()) continue;
      it->second.erase(id);
      if (it->second.empty()) after_.erase(it);
    }
  }
  // Updates the index: the request depended on what `from` names, and now on what `to` names.
  void Change(RequestId id, const schemas::RequestSpec& from, const schemas::RequestSpec& to) {
    if (to.after == from.after || to.array) return;
    Remove(id, from);
    Add(id, to);
  }
  // Requests whose dependencies name `id`.
  const std::set<RequestId>& Of(RequestId id) const {
    static const std::set<RequestId> kNobody;
    const auto it = after_.find(id);
    return it == after_.end() ? kNobody : it->second;
  }

 private:
  std::map<RequestId, std::set<RequestId>> after_;
};

}  // namespace muster::meta
