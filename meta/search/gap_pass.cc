// Refused gaps are remembered until the next release.
#include "meta/search/gap_pass.h"

namespace muster::meta {

void GapPass::NoteRelease(bool any_wait) {
  ++releases_;
  if (running_) {
    again_ = true;
    return;
  }
  running_ = any_wait;
  refused_.clear();
}

void GapPass::BeginAgain() {
  running_ = true;
  passed_.reset();
  looked_at_.clear();
  failed_.clear();
}

bool GapPass::End() {
  passed_.reset();
  looked_at_.clear();
  failed_.clear();
  if (again_) refused_.clear();
  running_ = std::exchange(again_, false);
  return running_;
}

}  // namespace muster::meta
