// A job as shown to people (muster.job/1), from its record, its attempt and the mirrors of its
// sites.
#pragma once

#include "meta/requests/layer.h"

namespace muster::meta {

// `whole`: include history and events.
schemas::JobView JobViewOf(const RequestsLayer& f, const Request& request, Moment now, bool whole);

// Site of a part, and the fence it runs under; none before it has a place.
struct PartPlaceNow {
  std::string site;
  Fence fence;
};
std::optional<PartPlaceNow> PlaceOf(const RequestsLayer& f, const Request& request, uint32_t part);

}  // namespace muster::meta
