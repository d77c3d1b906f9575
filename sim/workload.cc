// Draws mostly small requests with a few large ones, so that there is both fragmentation and
// waiting.
#include "sim/workload.h"

#include <algorithm>
#include <array>
#include <optional>

namespace muster::sim {
namespace {

schemas::Chunk DrawChunk(const WorkloadOptions& options, Random& random, uint32_t most) {
  return {.count = static_cast<uint32_t>(random.Between(1, most)),
          .resources = {{"ncpus", random.Between(1, options.cpus_per_node)}}};
}

// Turns the request into a reservation of one part.
void Reserve(PlannedRequest& request) {
  schemas::RequestSpec& spec = request.spec;
  spec.parts.resize(1);
  spec.apart = false;
  spec.array.reset();
  spec.payload = {};
  spec.reserves = schemas::ReservationSpec{};
  request.park_after.reset();
  request.after.reset();
}

// Turns the request into a small one-part job inside of the reservation, shorter than it.
void PutInside(PlannedRequest& request, size_t reservation, Span length, Random& random) {
  schemas::RequestSpec& spec = request.spec;
  spec.parts.resize(1);
  spec.parts[0] = {.chunks = {{.count = 1, .resources = {{"ncpus", 1}}}}};
  spec.apart = false;
  spec.array.reset();
  spec.firm = false;
  spec.duration = {random.Between(2, std::max<int64_t>(2, length.seconds / 2))};
  request.after.reset();
  request.inside = reservation;
}

// Adds reservations, jobs inside of them, licences and other options. Drawn after all else, so that
// a workload without them stays the same for a seed.
void AddWhatIsNew(const WorkloadOptions& options, Random& random,
                  std::vector<PlannedRequest>& requests) {
  std::optional<size_t> reservation;
  for (size_t i = 0; i < requests.size(); ++i) {
    PlannedRequest& request = requests[i];
    const bool alone = std::none_of(requests.begin(), requests.end(),
                                    [&](const auto& other) { return other.after == i; });
    if (options.reserved > 0 && alone && random.Chance(options.reserved)) {
      Reserve(request);
      reservation = i;
    } else if (reservation && alone && random.Chance(options.inside)) {
      PutInside(request, *reservation, requests[*reservation].spec.duration, random);
    } else if (options.jobwide > 0 && random.Chance(options.jobwide)) {
      request.spec.parts[0].jobwide = {{"licences", 1}};
    }
    if (options.malleable > 0 && !request.spec.reserves && random.Chance(options.malleable)) {
      for (schemas::PartSpec& part : request.spec.parts) {
        for (schemas::Chunk& chunk : part.chunks) {
          chunk.least = 1;
          chunk.most = chunk.count + static_cast<uint32_t>(random.Between(1, 3));
        }
      }
    }
    if (options.grouped > 0 && random.Chance(options.grouped)) {
      request.spec.parts[0].set = "switch";
    }
    if (options.noticed > 0 && !request.spec.reserves && random.Chance(options.noticed)) {
      request.spec.notice = schemas::Notice{.before = {random.Between(1, 5)}, .signal = "USR1"};
    }
    if (options.interactive > 0 && !request.spec.reserves && random.Chance(options.interactive)) {
      request.spec.request_class = schemas::RequestClass::kInteractive;
      if (!random.Chance(200)) request.spec.start_notice = Span{random.Between(0, 30)};
    }
  }
}

// Node sets for some parts. Drawn after all else, by numbers of its own.
void AddSets(const WorkloadOptions& options, Random random, std::vector<PlannedRequest>& requests) {
  constexpr std::array kSets = {"speed:oneof",
                                "speed~20%:oneof",
                                "speed=1000%,90%,80%:firstof:wait=15s",
                                "speed:oneof:best:wait=10s",
                                "speed=100%,125%:anyof",
                                "rack:oneof",
                                "rack=b,a:firstof:wait=20s",
                                "rack=a:oneof:best",
                                "none"};
  for (PlannedRequest& request : requests) {
    for (schemas::PartSpec& part : request.spec.parts) {
      if (random.Chance(options.sets)) part.set = kSets[random.Below(kSets.size())];
    }
  }
}

}  // namespace

void AddMemory(Random& random, std::vector<PlannedRequest>& requests) {
  for (PlannedRequest& request : requests) {
    for (schemas::PartSpec& part : request.spec.parts) {
      for (schemas::Chunk& chunk : part.chunks) {
        if (random.Chance(500)) chunk.resources.Set("mem", random.Between(1, 5) << 30);
      }
    }
  }
}

std::vector<PlannedRequest> DrawWorkload(const WorkloadOptions& options, Random& random) {
  std::vector<PlannedRequest> out;
  for (size_t i = 0; i < options.requests; ++i) {
    PlannedRequest request;
    request.at = options.begins + Milliseconds(random.Between(0, options.over.milliseconds));
    schemas::RequestSpec& spec = request.spec;
    spec.name = "r" + std::to_string(i);
    spec.duration = {random.Between(3, options.longest_s)};
    spec.payload.argv = {"true"};
    spec.queue = options.queues[0];
    if (options.queues.size() > 1) spec.queue = options.queues[random.Below(options.queues.size())];
    if (options.firm > 0) spec.firm = random.Chance(options.firm);
    const bool co_allocated = random.Chance(options.co_allocated);
    const int64_t parts = co_allocated ? random.Between(2, 3) : 1;
    spec.apart = co_allocated;
    for (int64_t p = 0; p < parts; ++p) {
      schemas::PartSpec part;
      part.chunks.push_back(DrawChunk(options, random, co_allocated ? 1 : 3));
      if (random.Chance(100)) part.place = schemas::Place::kScatter;
      if (random.Chance(50)) part.exclusive = true;
      spec.parts.push_back(std::move(part));
    }
    if (random.Chance(options.cancelled))
      request.cancel_after = Milliseconds(random.Between(0, 60000));
    if (random.Chance(options.parked)) {
      request.park_after = Milliseconds(random.Between(0, 40000));
      request.parked_for = Milliseconds(random.Between(100, 40000));
    }
    if (i > 0 && random.Chance(options.after)) {
      request.after = random.Below(i);
      constexpr std::array kKinds = {schemas::DependencyKind::kOk, schemas::DependencyKind::kAny,
                                     schemas::DependencyKind::kAny, schemas::DependencyKind::kFail};
      request.after_kind = kKinds[random.Below(kKinds.size())];
    }
    if (random.Chance(options.arrays)) {
      spec.array = {.first = 1, .last = static_cast<uint64_t>(random.Between(2, 6))};
      spec.array->at_once = random.Below(4);
    }
    out.push_back(std::move(request));
  }
  AddWhatIsNew(options, random, out);
  if (options.sets > 0) AddSets(options, random, out);
  return out;
}

}  // namespace muster::sim
