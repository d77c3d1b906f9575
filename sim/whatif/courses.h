// The lives of parts in a run: when each job began and ended, and what processor time it used in
// the time that is looked at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"

namespace muster::sim {

// When a job began, at its earliest part, and ended, at its last. A job that is recalled from lent
// room and starts again has begun with its last life.
struct Life {
  std::optional<Instant> started;
  std::optional<Instant> ended;  // all its parts that began are over
  bool started_here = false;     // in this run
  double used_s = 0;             // processor time
};

class Courses {
 public:
  // What is used before `from` and after `until` does not count.
  Courses(Instant from, Instant until) : from_(from), until_(until) {}

  // A part runs since before the run began.
  void Adopted(const std::string& token, const std::string& job, Moment since, int64_t processors);
  void Started(const std::string& token, const std::string& job, Moment at, int64_t processors);
  // No effect if the token does not run.
  void Ended(const std::string& token, Moment at);
  // The run is over: what still runs has used its processors until then.
  void Finish();

  const std::map<std::string, Life>& lives() const { return lives_; }
  double used_s() const { return used_s_; }

 private:
  struct Part {
    std::string job;
    Moment since;
    int64_t processors = 0;
  };
  void Begin(const std::string& token, const std::string& job, Moment at, int64_t processors);
  void Count(const Part& part, Moment until);

  Instant from_;
  Instant until_;
  std::map<std::string, Part> running_;  // by token
  std::map<std::string, int> parts_of_;  // of each job that run
  std::map<std::string, Life> lives_;    // by job
  double used_s_ = 0;
};

}  // namespace muster::sim
