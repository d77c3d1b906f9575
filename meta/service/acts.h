// What owners and operators do to jobs, nodes, sites and keys: one verb on named targets, durable
// before it is accepted; operators' acts go into the audit log. protocol.md section 2b (act,
// steer), cli.md section 2 (Operate).
#pragma once

#include "meta/attempts/feed.h"
#include "meta/requests/refusals.h"
#include "meta/service/client_service.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnAct(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

// Owner or operator; a refusal was sent otherwise. `changed`: "nothing was cancelled".
bool MayActOn(ServiceLayer& f, Turn& t, const Asker& asker, const std::vector<RequestId>& requests,
              const std::string& changed);

// Cancels one request, or all elements of an array; a line for people.
std::string CancelOne(ServiceLayer& f, Turn& t, Request& request, const std::string& user);

// --- steering.cc
void OnDrain(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
// What the sites said an act on nodes would move: it is answered, refused, or carried out.
void OnMovesKnown(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act,
                  const std::map<std::string, schemas::MovesView>& views);
// An order to a site, durable with this turn, said until its feed answers; its number.
uint64_t GiveSteer(ServiceLayer& f, Turn& t, const std::string& site, schemas::Steer steer);
// A site answered an operator's order in its feed.
void OnSteered(ServiceLayer& f, Turn& t, Site& site, const SteeredCame& news);
// Says orders again that a site has not answered; called when it comes up, and with its heartbeats.
void RepeatSteers(ServiceLayer& f, Turn& t, Site& site);
void OnForget(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

// --- access.cc
void OnRotateKey(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
void OnRevokeKey(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
void GetKeys(ServiceLayer& f, Turn& t, const Asker& asker);
void GetAudit(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

// --- reload.cc
void OnReload(ServiceLayer& f, Turn& t, const Asker& asker);
// Returns sites that are listed no more and had a link: they are silent from now on.
std::vector<std::string> OnReconfigured(ServiceLayer& f, Turn& t, const Reconfigured& event);

// One line of the audit log. `who` as in "user:root".
void Audit(ServiceLayer& f, Turn& t, std::string who, std::string verb, std::string what,
           std::string result);
// The audit log keeps kRecordKeep.
void ForgetOldAudit(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
