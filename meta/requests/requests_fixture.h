// Unit tests of the requests room: its layer by itself, with sites that are up and two users, and a
// turn in progress. There is no core: a test calls the functions of the room.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "meta/requests/layer.h"
#include "meta/requests/request_outcome.h"
#include "meta/turn/turn.h"
#include "partitioner/split.h"

namespace muster::meta {

inline constexpr int64_t kBegin = 1'700'000'000;  // 2023-11-14T22:13:20Z

// Sites hills, lakes and woods, each with four nodes of four cpus; users kim and ana. Time passes
// only by Pass.
class RequestsRoom : public ::testing::Test {
 protected:
  RequestsRoom() {
    f_.options.sites = f_.site_names = {"hills", "lakes", "woods"};
    for (const std::string& name : f_.site_names) {
      Site& site = f_.sites[name];
      site.name = name;
      site.mirror = verifier::Mirror(name);
      site.capacity = schemas::Capacity{
          .classes = {{.count = 4, .up = 4, .per_node = {{"ncpus", 4}}}}, .start_slack = Span{1}};
      site.link.Take(verifier::LinkEvent::kHello);
      site.link.Take(verifier::LinkEvent::kSynced);
    }
    for (const char* const user : {"kim", "ana"}) f_.users[user].name = user;
    Pass(Span{0});
  }

  // A new turn, this much later.
  void Pass(Span span) {
    now_.boot = now_.boot + ToBootSpan(span);
    now_.wall.milliseconds += span.seconds * 1000;
    f_.clock.Update(now_);
    t_ = Turn{.now = now_, .plan = f_.clock.Read()};
  }
  schemas::Capacity& CapacityOf(const std::string& site) { return *f_.sites.at(site).capacity; }

  // 600 s; one part per list of sites.
  static schemas::RequestSpec Spec(std::vector<std::vector<std::string>> part_sites) {
    schemas::RequestSpec spec{.name = "halo", .duration = Span{600}};
    for (std::vector<std::string>& sites : part_sites) {
      schemas::PartSpec part;
      part.chunks = {{.count = 1, .resources = {{"ncpus", 1}}}};
      part.sites = std::move(sites);
      spec.parts.push_back(std::move(part));
    }
    spec.payload.argv = {"hostname"};
    return spec;
  }
  // A request of kim on record, which waits.
  Request& Submitted(schemas::RequestSpec spec) {
    schemas::RequestRecord record;
    record.id = RequestId{++f_.identity.Edit().last_request.value};
    record.requester.user = "kim";
    record.spec = std::move(spec);
    record.submitted_at = t_.plan;
    return f_.requests.Add(std::move(record));
  }
  Request& Find(RequestId id) { return *f_.requests.Find(id); }

  // Promises the request a place: its parts at these sites from `start` on. `gated`: committed,
  // without a permit.
  Attempt& Promise(Request& request, const std::vector<std::string>& part_sites, Instant start,
                   bool gated = false) {
    schemas::AttemptRecord record{.fence = Fence{Epoch{1}, ++fences_},
                                  .request = request.id(),
                                  .members = partitioner::MembersOf(part_sites),
                                  .part_sites = part_sites,
                                  .start = start,
                                  .gated = gated};
    Attempt& attempt = f_.attempts.Add(std::move(record));
    f_.attempts.Enter(
        attempt, gated ? schemas::AttemptState::kCommitted : schemas::AttemptState::kPermitted);
    request.attempts.insert(attempt.fence());
    f_.requests.Edit(request).attempt = attempt.fence();
    f_.requests.SetState(request, schemas::RequestState::kPromised);
    return attempt;
  }
  // The request ends with this outcome, and its attempts are closed.
  void End(Request& request, schemas::Outcome outcome) {
    for (const Fence& fence : request.attempts) {
      f_.attempts.Enter(f_.attempts.at(fence), schemas::AttemptState::kClosed);
    }
    request.attempts.clear();
    EndRequest(f_, t_, request, outcome, "over");
  }

  Now now_{BootInstant{1000}, Moment{kBegin * 1000}};
  RequestsLayer f_{now_};
  Turn t_;
  uint64_t fences_ = 0;
};

}  // namespace muster::meta
