// The last start of a request follows from the sites' present speeds.
#include "meta/requests/windows.h"

#include "meta/requests/site_speeds.h"

namespace muster::meta {

void WatchWindow(RequestsLayer& f, const Request& request) {
  const Instant last = LastStart(f, request.record().spec);
  if (last < kFarFuture) f.windows.Add(last, request.id());
}

void ForgetWindow(RequestsLayer& f, const Request& request) {
  f.windows.Remove(LastStart(f, request.record().spec), request.id());
}

}  // namespace muster::meta
