// Computed from records and mirrors; no state is kept here.
#include "meta/requests/attempt_facts.h"

#include <algorithm>

#include "partitioner/split.h"
#include "schemas/limits.h"
#include "verifier/attempt_table.h"

namespace muster::meta {

const schemas::RequestSpec& SpecOf(const Request& request, const Attempt& attempt) {
  return request.before() && !attempt.altered ? *request.before() : request.record().spec;
}

BootSpan PermitWait(const RequestsLayer& f, const Attempt& attempt) {
  if (attempt.Several()) return f.options.values.start_wait;
  return attempt.leaves_place ? schemas::kMoveWait : schemas::kSingleWait;
}

Span WaitOf(const RequestsLayer& f, const Attempt& attempt) {
  if (attempt.state() == schemas::AttemptState::kRunning)
    return Span{0};  // the tail is given back at the start
  if (attempt.leaves_place && verifier::Permitted(attempt.state())) return Span{0};
  if (!attempt.PassesBarrier() && !attempt.leaves_place) return Span{0};
  return Span{(PermitWait(f, attempt).milliseconds + 999) / 1000};
}

ResourceSet AmountsOf(const schemas::PartSpec& part, const std::vector<uint64_t>& counts) {
  if (counts.size() != part.chunks.size()) return partitioner::AmountsOf(part);
  ResourceSet out;
  for (size_t c = 0; c < counts.size(); ++c) {
    const uint64_t count = std::min<uint64_t>(counts[c], schemas::kChunkCount);
    out += part.chunks[c].resources * static_cast<int64_t>(count);
  }
  return out;
}

const schemas::MirrorPart* PartOf(const schemas::MirrorRecord& hold, uint32_t index) {
  for (const schemas::MirrorPart& part : hold.parts) {
    if (part.index == index) return &part;
  }
  return nullptr;
}

const schemas::MirrorPart* PartAt(const RequestsLayer& f, const Attempt& attempt, size_t part,
                                  const schemas::MirrorRecord** hold_out) {
  const schemas::MirrorRecord* hold =
      f.sites.at(attempt.record().part_sites[part]).mirror.Find(attempt.fence());
  if (hold_out) *hold_out = hold;
  return hold ? PartOf(*hold, static_cast<uint32_t>(part + 1)) : nullptr;
}

std::vector<schemas::PartEnd> PartEndsOf(const RequestsLayer& f, const Request& request) {
  std::vector<schemas::PartEnd> out;
  if (!request.record().attempt) return out;
  const auto it = f.attempts.find(*request.record().attempt);
  if (it == f.attempts.end()) return out;
  for (size_t i = 0; i < it->second.record().part_sites.size(); ++i) {
    const schemas::MirrorPart* part = PartAt(f, it->second, i);
    out.push_back(part ? part->end : schemas::PartEnd{});
  }
  return out;
}

}  // namespace muster::meta
