// Parts are known by their tokens, of which each life has its own.
#include "sim/whatif/courses.h"

#include <algorithm>

namespace muster::sim {

void Courses::Begin(const std::string& token, const std::string& job, Moment at,
                    int64_t processors) {
  running_[token] = {job, at, processors};
  Life& life = lives_[job];
  if (++parts_of_[job] == 1 && life.ended) {
    life.started.reset();
    life.ended.reset();
  }
  life.started = life.started ? std::min(*life.started, at.Floor()) : at.Floor();
}

void Courses::Adopted(const std::string& token, const std::string& job, Moment since,
                      int64_t processors) {
  Begin(token, job, since, processors);
}

void Courses::Started(const std::string& token, const std::string& job, Moment at,
                      int64_t processors) {
  Begin(token, job, at, processors);
  lives_[job].started_here = true;
}

void Courses::Ended(const std::string& token, Moment at) {
  const auto found = running_.find(token);
  if (found == running_.end()) return;
  const Part part = found->second;
  running_.erase(found);
  Count(part, at);
  if (--parts_of_[part.job] == 0) lives_[part.job].ended = at.Floor();
}

void Courses::Finish() {
  for (const auto& [token, part] : running_) Count(part, ToMoment(until_));
  running_.clear();
}

void Courses::Count(const Part& part, Moment until) {
  const Moment begin = std::max(part.since, ToMoment(from_));
  const Moment end = std::min(until, ToMoment(until_));
  if (end <= begin) return;
  const double used = static_cast<double>(end.milliseconds - begin.milliseconds) / 1000 *
                      static_cast<double>(part.processors);
  lives_[part.job].used_s += used;
  used_s_ += used;
}

}  // namespace muster::sim
