// The room of the attempts: what the commit protocol needs besides their records.
#pragma once

#include "meta/attempts/secret_pool.h"
#include "meta/requests/layer.h"

namespace muster::meta {

struct AttemptsLayer : RequestsLayer {
  using RequestsLayer::RequestsLayer;

  SecretPool secrets;
};

}  // namespace muster::meta
