// The envelope is checked first; then the message goes to its handler.
#include "meta/service/client_service.h"

#include <optional>
#include <utility>
#include <variant>

#include "meta/service/asker.h"
#include "meta/service/following.h"
#include "meta/service/job_operations.h"
#include "meta/service/operations.h"
#include "meta/service/queries.h"
#include "meta/service/questions.h"
#include "meta/service/submit.h"
#include "verifier/client_checks.h"

namespace muster::meta {
namespace {

using schemas::Refused;

std::optional<Refused> CheckEnvelope(const ServiceLayer& f, const Turn& t, const ClientSays& says) {
  if (!f.users.contains(says.user)) {
    return Refused{.code = "denied",
                   .message = "'" + says.user + "' is not a user of " + f.options.federation};
  }
  return verifier::CheckEnvelope(says.message, f.options.federation, t.plan);
}

struct Dispatch {
  ServiceLayer& f;
  Turn& t;
  const Asker& asker;

  void operator()(const schemas::Submit& m) const { OnSubmit(f, t, asker, m); }
  void operator()(const schemas::Ask& m) const { OnAsk(f, t, asker, m); }
  void operator()(const schemas::Cancel& m) const { OnCancel(f, t, asker, m); }
  void operator()(const schemas::Get& m) const { OnGet(f, t, asker, m); }
  void operator()(const schemas::Follow& m) const { OnFollow(f, t, asker, m); }
  void operator()(const schemas::Act& m) const { OnAct(f, t, asker, m); }
};

}  // namespace

void OnClient(ServiceLayer& f, Turn& t, const ClientSays& says) {
  const Asker asker{says.user, says.link, says.message.number};
  f.keys.NoteHeard(says.user, t.plan);
  if (std::optional<Refused> fault = CheckEnvelope(f, t, says)) {
    return Refuse(f, t, asker, std::move(*fault));
  }
  std::visit(Dispatch{f, t, asker}, says.message.body);
}

}  // namespace muster::meta
