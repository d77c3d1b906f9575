// Small requests with a few large ones, so that there is both fragmentation and waiting.
#include "sim/workload.h"

#include <array>

namespace muster::sim {
namespace {

schemas::Chunk DrawChunk(const WorkloadOptions& options, Random& random, uint32_t most) {
  return {.count = static_cast<uint32_t>(random.Between(1, most)),
          .resources = {{"ncpus", random.Between(1, options.cpus_per_node)}}};
}

}  // namespace

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
  return out;
}

}  // namespace muster::sim
