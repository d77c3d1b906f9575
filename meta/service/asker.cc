// All jobs of a list are checked before any of them is changed.
#include "meta/service/asker.h"

#include <algorithm>
#include <utility>

#include "schemas/limits.h"

namespace muster::meta {

bool IsOperator(const ServiceLayer& f, const std::string& user) {
  const auto it = f.users.find(user);
  return it != f.users.end() && it->second.is_operator;
}

void Refuse(ServiceLayer& f, Turn& t, const Asker& asker, schemas::Refused refused) {
  Reply(f, t, asker.user, asker.link, asker.number, std::move(refused));
}

schemas::Refused NoSuchJob(RequestId id, std::string changed) {
  return {.code = "not-found",
          .message = "no job " + ToText(id) + " on record",
          .changed = std::move(changed)};
}

void SendRows(ServiceLayer& f, Turn& t, const Asker& asker, schemas::Rows rows) {
  rows.as_of = t.plan;
  Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
}

bool MayActOn(ServiceLayer& f, Turn& t, const Asker& asker, const std::vector<RequestId>& requests,
              const std::string& changed) {
  if (requests.empty() || requests.size() > schemas::kActTargets) {
    Refuse(f, t, asker,
           {.code = "usage",
            .message = std::to_string(requests.size()) + " jobs; from 1 to " +
                       std::to_string(schemas::kActTargets),
            .changed = changed});
    return false;
  }
  std::vector<RequestId> once = requests;
  std::sort(once.begin(), once.end());
  if (std::adjacent_find(once.begin(), once.end()) != once.end()) {
    Refuse(f, t, asker, {.code = "usage", .message = "a job is named twice", .changed = changed});
    return false;
  }
  // All or none: if one job may not be touched, nothing is changed.
  for (const RequestId id : requests) {
    const Request* request = f.requests.Find(id);
    if (!request) {
      Refuse(f, t, asker, NoSuchJob(id, changed));
      return false;
    }
    const std::string& owner = request->record().requester.user;
    if (owner == asker.user || IsOperator(f, asker.user)) continue;
    Refuse(f, t, asker,
           {.code = "denied",
            .message = Named(*request) + " belongs to " + owner + "; you are " + asker.user +
                       ", role user",
            .changed = changed});
    return false;
  }
  return true;
}

}  // namespace muster::meta
