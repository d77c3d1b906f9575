// Who said something: where the answer goes, and what that user may do. protocol.md section 2b,
// cli.md section 1.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "meta/service/client.h"
#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Where an answer goes.
struct Asker {
  const std::string& user;
  const std::string& link;
  MessageNumber number;
};

inline Asker AskerOf(const Client& client) { return {client.user, client.link, client.number}; }
inline Client ClientOf(const Asker& asker) { return {asker.user, asker.link, asker.number}; }

bool IsOperator(const ServiceLayer& f, const std::string& user);
// Owner or operator of all of these; a refusal was sent otherwise. `changed`: "nothing was
// cancelled".
bool MayActOn(ServiceLayer& f, Turn& t, const Asker& asker, const std::vector<RequestId>& requests,
              const std::string& changed);

void Refuse(ServiceLayer& f, Turn& t, const Asker& asker, schemas::Refused refused);
// What is said of a job that is not on record.
schemas::Refused NoSuchJob(RequestId id, std::string changed);
// Rows as of this turn.
void SendRows(ServiceLayer& f, Turn& t, const Asker& asker, schemas::Rows rows);

}  // namespace muster::meta
