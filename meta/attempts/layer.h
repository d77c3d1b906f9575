// Layer of the attempts room: what the commit protocol needs besides the attempts' records.
#pragma once

#include "meta/attempts/secret_pool.h"
#include "meta/requests/layer.h"

namespace muster::meta {

struct AttemptsLayer : RequestsLayer {
  using RequestsLayer::RequestsLayer;

  SecretPool secrets;
};

}  // namespace muster::meta
