// The layer of the search room: which sites to ask, which place to take, and which requests to move
// earlier.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "meta/attempts/layer.h"
#include "meta/search/gap_pass.h"
#include "meta/search/lent_asks.h"
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
  std::map<uint64_t, BehindOthers> lines;    // by asker: whom its inquiries are planned behind
  std::optional<VerifiedRun> verified_run;
  // Waiting requests in the order of the last forecast run; each start is the newest one known.
  std::vector<LaidOut> laid_out;
  Scheduler scheduler;
  GapPass gaps;
  LentAsks lent_asks;
  Searches searches;
  MovePasses moves;
};

}  // namespace muster::meta
