// The room of the search: whom to ask, which place, who moves earlier.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "meta/attempts/layer.h"
#include "meta/search/gap_pass.h"
#include "meta/search/move_pass.h"
#include "meta/search/scheduler.h"
#include "meta/search/search_states.h"
#include "meta/search/searches.h"
#include "meta/search/verified_run.h"
#include "verifier/prover.h"

namespace muster::meta {

struct SearchLayer : AttemptsLayer {
  using AttemptsLayer::AttemptsLayer;

  verifier::Prover prover;
  std::optional<Wave> wave;
  std::optional<Block> block;
  uint64_t last_block = 0;
  std::map<uint64_t, OpenMeeting> meetings;  // by the owner of their questions
  std::map<uint64_t, BehindOthers> lines;    // that inquiries go behind, by who asks
  std::optional<VerifiedRun> verified_run;
  std::vector<LaidOut> laid_out;  // those who wait, in their order, at the starts last found
  Scheduler scheduler;
  GapPass gaps;
  Searches searches;
  MovePasses moves;
};

}  // namespace muster::meta
