// See credentials.h.
#include "site/policy/credentials.h"

namespace muster::site {

Credentials CredentialsOf(const schemas::HoldOrder& order) {
  return {.user = order.requester.user,
          .groups = order.requester.groups,
          .account = order.account,
          .qos = order.qos,
          .queue = order.queue,
          .interactive = order.request_class == schemas::RequestClass::kInteractive};
}

}  // namespace muster::site
