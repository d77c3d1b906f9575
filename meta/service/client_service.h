// What users and operators say, and the answers. protocol.md section 2b, cli.md sections 1, 3
// and 4.
#pragma once

#include "meta/forecast/forecasting.h"
#include "meta/service/gatherings.h"
#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

void OnClient(ServiceLayer& f, Turn& t, const ClientSays& says);

// Where an answer goes.
struct Asker {
  const std::string& user;
  const std::string& link;
  MessageNumber number;
};

inline Asker AskerOf(const Client& client) { return {client.user, client.link, client.number}; }
inline Client ClientOf(const Asker& asker) { return {asker.user, asker.link, asker.number}; }

void OnSubmit(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Submit& submit);
void OnCancel(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Cancel& cancel);
void OnGet(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
void OnFollow(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Follow& follow);

bool IsOperator(const ServiceLayer& f, const std::string& user);
void Refuse(ServiceLayer& f, Turn& t, const Asker& asker, schemas::Refused refused);
schemas::Refused NoSuchJob(RequestId id, std::string changed);

// Whom forecasts are made for.
Audience AudienceOf(const ServiceLayer& f);
// Tells followers of what this turn changed.
void TellFollowers(ServiceLayer& f, Turn& t);
// Numbers and keeps what happened in this turn, and tells those who follow events.
void TellWatchers(ServiceLayer& f, Turn& t);
// Forgets followers that stopped keeping themselves alive.
void ForgetFollowers(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
