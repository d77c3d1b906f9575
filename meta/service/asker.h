// The sender of a client message: where the answer goes, and what that user may do. protocol.md
// section 2b, cli.md section 1.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "meta/service/client.h"
#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Address of the answer.
struct Asker {
  const std::string& user;
  const std::string& link;
  MessageNumber number;
};

inline Asker AskerOf(const Client& client) { return {client.user, client.link, client.number}; }
inline Client ClientOf(const Asker& asker) { return {asker.user, asker.link, asker.number}; }

bool IsOperator(const ServiceLayer& f, const std::string& user);
// True if the list has 1 to kActTargets requests, all on record, none twice, and the asker owns
// them all or is an operator. Otherwise sends a refusal; `changed` is its text on the effect, as in
// "nothing was cancelled".
bool MayActOn(ServiceLayer& f, Turn& t, const Asker& asker, const std::vector<RequestId>& requests,
              const std::string& changed);

void Refuse(ServiceLayer& f, Turn& t, const Asker& asker, schemas::Refused refused);
// Refusal for a job that is not on record.
schemas::Refused NoSuchJob(RequestId id, std::string changed);
// Sends rows with the time of this turn as their "as of".
void SendRows(ServiceLayer& f, Turn& t, const Asker& asker, schemas::Rows rows);

}  // namespace muster::meta
